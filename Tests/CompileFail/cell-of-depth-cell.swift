// expect: cannot convert value of type 'Point2<DepthCells>' to expected argument type 'Point2<ImagePixels>'
import Geometry

func cell(_ place: Point2<DepthCells>, _ grid: DepthGrid) -> Point2<DepthCells> { grid.cell(place) }
