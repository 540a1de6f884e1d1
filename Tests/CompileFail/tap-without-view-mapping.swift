// expect: cannot convert value of type 'Point2<ViewPoints>' to expected argument type 'Point2<ImagePixels>'
import Geometry

func hit(_ tap: Point2<ViewPoints>, _ box: Rect<ImagePixels>) -> Bool {
  box.contains(tap)
}
