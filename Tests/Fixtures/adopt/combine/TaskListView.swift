import SwiftUI

struct TaskListView: View {
    @StateObject private var model = TaskListModel()
    @Environment(\.scenePhase) private var scenePhase
    @State private var selection: TaskItem?

    var body: some View {
        List(model.tasks) { task in
            Text(task.title)
        }
        .onChange(of: scenePhase) { model.reload() }
    }
}

#Preview {
    TaskListView()
}
