import CloudKit
import Combine
import SwiftUI

/// The view model of a list of tasks.
final class TaskListModel: ObservableObject {
    @Published var tasks: [TaskItem] = []
    @Published private(set) var isSyncing = false
    @AppStorage("showsDone") var showsDone = true

    private let database = CKContainer.default().privateCloudDatabase
    private var cancellables = Set<AnyCancellable>()
    private let changes = PassthroughSubject<TaskItem, Never>()

    init() {
        NotificationCenter.default.publisher(for: .CKAccountChanged)
            .receive(on: DispatchQueue.main)
            .sink { [weak self] _ in self?.reload() }
            .store(in: &cancellables)
        changes
            .debounce(for: .seconds(1), scheduler: RunLoop.main)
            .sink { [weak self] item in self?.upload(item) }
            .store(in: &cancellables)
    }

    func edit(_ item: TaskItem) {
        guard let index = tasks.firstIndex(where: { $0.id == item.id }) else { return }
        withAnimation(.easeInOut) { tasks[index] = item }
        changes.send(item)
    }

    func reload() {
        isSyncing = true
        Task { @MainActor in
            defer { isSyncing = false }
            do {
                let query = CKQuery(recordType: "Task", predicate: NSPredicate(format: "done == %d", 0))
                let (results, _) = try await database.records(matching: query)
                tasks = results.compactMap { try? $0.1.get() }.map(TaskItem.init(record:))
            } catch let error as CKError where error.code == .requestRateLimited {
                try? await Task.sleep(nanoseconds: UInt64(error.retryAfterSeconds ?? 1) * 1_000_000_000)
            } catch {
                print("reload: \(error)")
            }
        }
    }

    func upload(_ item: TaskItem) {
        let future = Future<CKRecord, Error> { promise in
            self.database.save(item.record) { record, error in
                if let record { promise(.success(record)) } else { promise(.failure(error!)) }
            }
        }
        future
            .retry(2)
            .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
            .store(in: &cancellables)
    }
}
