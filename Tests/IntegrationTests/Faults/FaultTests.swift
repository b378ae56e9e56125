import Testing

/// What happens when something is wrong, on real daemons and real JACK servers.
///
/// One test at a time: a machine has room for eight JACK servers, and these tests need quiet ears.
@Suite(.serialized, .timeLimit(.minutes(3))) enum FaultTests {}
