public import ControlPlane
public import Intercom

extension ControlPlane: ControlTransport {}
