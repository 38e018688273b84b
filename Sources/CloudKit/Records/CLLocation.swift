import Foundation
import PadApp

public typealias CLLocationDegrees = Double
public typealias CLLocationDistance = Double

/// A point on the globe, in degrees; of Apple's Core Location as much as records and queries need.
public struct CLLocationCoordinate2D: Hashable, Sendable {
    public var latitude: CLLocationDegrees
    public var longitude: CLLocationDegrees
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        (self.latitude, self.longitude) = (latitude, longitude)
    }
}

/// A place as a field of a record (cloudkit-web-services.md 8.7). Not modelled: finding out where the iPad is, speed and course.
public final class CLLocation: NSObject, NSSecureCoding, NSCopying, CKRecordValueProtocol, @unchecked Sendable {
    public let coordinate: CLLocationCoordinate2D

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
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public static var supportsSecureCoding: Bool { true }
    public func encode(with coder: NSCoder) {
        coder.encode(coordinate.latitude, forKey: "latitude")
        coder.encode(coordinate.longitude, forKey: "longitude")
    }
    public init?(coder: NSCoder) {
        coordinate = CLLocationCoordinate2D(
            latitude: coder.decodeDouble(forKey: "latitude"), longitude: coder.decodeDouble(forKey: "longitude"))
    }
}
