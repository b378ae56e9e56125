public import Audio
public import Media

extension OpusEncoder: FrameEncoder {}
extension OpusDecoder: FrameDecoder {}
