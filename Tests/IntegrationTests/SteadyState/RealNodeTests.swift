import Testing

/// Nodes as they are deployed, judged by their conduct: what they send, and what they use.
///
/// One test at a time: a machine has room for eight JACK servers, and load would be measured too.
@Suite(.serialized) enum RealNodeTests {}
