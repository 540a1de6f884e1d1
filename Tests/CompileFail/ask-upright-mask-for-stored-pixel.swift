// expect: cannot convert value of type 'UprightPixels.Mask' (aka 'UprightMask') to specified type 'InstanceMask'
import AppCore

func mask(_ found: UprightDetection) -> InstanceMask? {
  guard let upright = found.mask else { return nil }
  let mask: InstanceMask = upright
  return mask
}
