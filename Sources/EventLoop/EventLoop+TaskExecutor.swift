extension EventLoop: TaskExecutor {}
