// expect: cannot convert value of type 'Point2<UprightPixels>' to expected argument type 'Point2<ImagePixels>'
import Geometry

func cell(_ pixel: Point2<UprightPixels>, _ grid: DepthGrid) -> (column: Int, row: Int) { grid.index(pixel) }
