import FleetModel
import Testing

@testable import PadCore

/// Two iPads, one account, everything at once: no edit that was handed over may be nowhere in the end.
@Suite(.timeLimit(.minutes(20))) struct DocumentsStorm {
    @Test(
        "handed-over edits: all kept through losses, offline times, power cuts and conflicts (seed)",
        arguments: 1...60 as ClosedRange<UInt64>)
    func storm(seed: UInt64) throws {
        var draw = Draw(seed: seed, name: "documents storm")
        let cloud = FakeDocumentCloud()
        let sites = [try DocumentSite("ipad-1"), try DocumentSite("ipad-2")]
        var losses = Draw(seed: seed, name: "losses")
        for site in sites {
            site.losesRequest = { _ in losses.chance(0.2) }
            site.losesAnswer = { _ in losses.chance(0.2) }
        }
        var made: [Token] = []
        for step in 0..<40 {
            let site = sites[draw.below(2)]
            let name = "page\(draw.below(2)).txt"
            switch draw.below(10) {
            case 0: site.pad.online.toggle()
            case 1: try site.powerCut(seed: seed &+ UInt64(step))
            case 2: site.download(name)
            case 3...4:
                for site in sites { site.pad.advance(.seconds(3), site.daemon) }
                for site in sites where site.pad.online { _ = site.exchange(with: cloud) }
            case 5 where site.pad.online: _ = site.exchange(with: cloud)
            case 6: merge(name, site)
            default:
                // A correct app reads before it writes, and keeps what it has read.
                if site.daemon.isPlaceholder(DocumentSite.path(name), person: "maya") { continue }
                let token = "maya.\(step + 1)"
                try site.write(name, (site.read(name) ?? "") + EditPayload.text(token: token, "x"))
                made.append(token)
            }
        }
        for site in sites {
            site.pad.online = true
            site.losesRequest = { _ in false }
            site.losesAnswer = { _ in false }
            site.daemon.observe(.networkReturned, site.pad)
        }
        DocumentSite.settle(sites, cloud, minutes: 10)
        for site in sites { for name in site.list().keys.sorted() { site.download(name) } }
        DocumentSite.settle(sites, cloud, minutes: 10)

        #expect(Set(made).subtracting(cloud.tokens).isEmpty)
        #expect(Set(sites[0].pad.tokens(.handedOver) + sites[1].pad.tokens(.handedOver)) == Set(made))
        for site in sites {
            #expect(site.isIdle, "\(site.daemon.pending(of: "maya"))")
            for item in cloud.items where !item.isDeleted {
                let name = String(item.path.dropFirst("Documents/".count))
                #expect(site.read(name) == String(decoding: item.current.data, as: UTF8.self))
                #expect(site.versions(name).count == item.conflicts.count)
            }
            #expect(site.list().count == cloud.items.count { !$0.isDeleted })
        }
    }

    /// What a correct app does with conflict versions: all in one, then resolved.
    private func merge(_ name: String, _ site: DocumentSite) {
        let versions = site.versions(name)
        guard !versions.isEmpty, let current = site.read(name) else { return }
        let all = versions.reduce(into: current) { $0 += String(decoding: $1["data"]?.data ?? [], as: UTF8.self) }
        _ = try? site.write(name, all)
        site.resolveAll(name)
    }
}
