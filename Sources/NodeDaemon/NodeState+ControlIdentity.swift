public import ControlPlane
public import Store

extension NodeState: ControlIdentity {}
