/// What keeps the node's habits as they change: the sound, who is connected with what, who is called what.
struct Keepers {
  let mixes: MixKeeper
  let ports: PortKeeper
  let names: NameKeeper
}
