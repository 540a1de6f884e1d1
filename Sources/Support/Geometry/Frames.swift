/// A coordinate frame: a type without values that marks what the numbers of a point mean.
///
/// Points of different frames are different types, so they neither add nor compare, and a function that
/// wants one frame does not compile with another.
public protocol CoordinateFrame: Sendable {}

/// A frame of two axes.
public protocol PlanarFrame: CoordinateFrame {}

/// A right-handed frame of three axes, in meters.
public protocol SpatialFrame: CoordinateFrame {}

/// Pixels of the picture as stored (for a phone: the landscape sensor frame).
///
/// Origin at the top-left corner, y down, *edge* convention: pixel (i, j) covers [i, i+1) x [j, j+1), so its
/// center is (i + 0.5, j + 0.5). Intrinsics alone count from pixel centers: edge = center + 0.5.
public enum ImagePixels: PlanarFrame {}

/// Pixels of the picture turned upright by its `Orientation`; origin top-left, y down, edge convention.
public enum UprightPixels: PlanarFrame {}

/// Cells of a depth map over the stored picture's whole field; origin top-left, y down, edge convention.
public enum DepthCells: PlanarFrame {}

/// Pixels of a network's input, letterbox borders included; origin top-left, y down, edge convention.
public enum NetworkPixels: PlanarFrame {}

/// Points of the view a picture is shown in; origin top-left, y down.
public enum ViewPoints: PlanarFrame {}

/// Fractions [0, 1] of a picture's sides with the origin at the bottom-left corner, y up.
public enum NormalizedBottomLeft: PlanarFrame {}

/// The camera's own frame: x right, y up, looking along -z, meters.
public enum CameraARKit: SpatialFrame {}

/// The fixed frame of a session: +y against gravity, meters.
public enum World: SpatialFrame {}

/// A fixed frame with +y along gravity, meters: that of a camera of computer vision where its first shot was taken.
public enum WorldYDown: SpatialFrame {}
