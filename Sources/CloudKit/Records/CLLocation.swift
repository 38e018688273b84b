import Foundation
import PadApp

/// A point on the globe, in degrees; of Apple's Core Location as much as records and queries need.
public struct CLLocationCoordinate2D: Hashable, Sendable {
    public var latitude: Double
    public var longitude: Double
    public init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }
}

/// A place as a field of a record (cloudkit-web-services.md 8.7). Not modelled: finding out where the iPad is, speed and course.
public final class CLLocation: Hashable, Sendable, CKRecordValueProtocol {
    public let coordinate: CLLocationCoordinate2D

    public init(latitude: Double, longitude: Double) {
        coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }

    var wire: Value { ["latitude": .double(coordinate.latitude), "longitude": .double(coordinate.longitude)] }
    /// Nil for what is no location.
    convenience init?(wire: Value) {
        guard let latitude = wire["latitude"]?.double, let longitude = wire["longitude"]?.double else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }
    public static func == (a: CLLocation, b: CLLocation) -> Bool { a.coordinate == b.coordinate }
    public func hash(into hasher: inout Hasher) { hasher.combine(coordinate) }
}
