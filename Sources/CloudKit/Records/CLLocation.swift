import Foundation
import PadApp

/// Degrees; latitudes from -90 to 90, longitudes from -180 to 180. Not checked here.
public typealias CLLocationDegrees = Double
/// Metres.
public typealias CLLocationDistance = Double

/// A point on the globe, in degrees; of Apple's Core Location as much as records and queries need.
public struct CLLocationCoordinate2D: Hashable, Sendable {
    /// North of the equator positive.
    public var latitude: CLLocationDegrees
    /// East of Greenwich positive.
    public var longitude: CLLocationDegrees
    /// The point at these degrees; nothing is checked.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        (self.latitude, self.longitude) = (latitude, longitude)
    }
}

/// A place as a field of a record (cloudkit-web-services.md 8.7). Not modelled: finding out where the iPad is, speed and course.
public final class CLLocation: NSObject, NSSecureCoding, NSCopying, CKRecordValueProtocol, @unchecked Sendable {
    /// Where it is.
    public let coordinate: CLLocationCoordinate2D

    /// A place without height, time and accuracy, which are not modelled.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }

    var wire: Value { ["latitude": .double(coordinate.latitude), "longitude": .double(coordinate.longitude)] }
    /// Nil for what is no location.
    convenience init?(wire: Value) {
        guard let latitude = wire["latitude"]?.double, let longitude = wire["longitude"]?.double else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }

    public override func isEqual(_ object: Any?) -> Bool { (object as? CLLocation)?.coordinate == coordinate }
    public override var hash: Int { coordinate.hashValue }
    public override var description: String { "<\(coordinate.latitude),\(coordinate.longitude)>" }
    /// Itself: it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }
    /// Writes the two degrees.
    public func encode(with coder: NSCoder) {
        coder.encode(coordinate.latitude, forKey: "latitude")
        coder.encode(coordinate.longitude, forKey: "longitude")
    }
    /// Never nil: an archive of something else is the place 0, 0.
    public init?(coder: NSCoder) {
        coordinate = CLLocationCoordinate2D(
            latitude: coder.decodeDouble(forKey: "latitude"), longitude: coder.decodeDouble(forKey: "longitude"))
    }
}
