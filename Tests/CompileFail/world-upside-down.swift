// expect: cannot convert value of type 'RigidTransform<CameraARKit, WorldYDown>' to expected argument type 'RigidTransform<CameraARKit, World>'
import Geometry

func distance(_ pose: RigidTransform<CameraARKit, WorldYDown>) -> Double { height(pose) }

func height(_ pose: RigidTransform<CameraARKit, World>) -> Double { pose.origin.y }
