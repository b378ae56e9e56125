/* Empty on purpose: the library is wanted for its pkg-config flags;
 * only the C target beside it includes its headers. */
