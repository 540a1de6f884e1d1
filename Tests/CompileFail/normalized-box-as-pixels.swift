// expect: cannot convert value of type 'Rect<NormalizedBottomLeft>' to expected argument type 'Rect<UprightPixels>'
import Geometry

func inInput(_ rect: Rect<NormalizedBottomLeft>, _ box: Letterbox) -> Rect<NetworkPixels> {
  box.toNetwork(rect)
}
