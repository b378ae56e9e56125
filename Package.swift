// swift-tools-version: 6.2
import PackageDescription

/// Set by sanitizer and gate builds: only the targets they judge, none of the big dependencies.
///
/// 1, or names of test targets: then only these, with what they need. IntercomTests/Members is a part of one.
let coreOnly = Context.environment["COMLINK_CORE_ONLY"]
let isCoreOnly = coreOnly != nil

/// Of IntercomTests what a station does with members, lines, keys and attackers.
let memberTests = [
  "Members", "Virtual", "KnockTests.swift", "StationContactTests.swift", "StationRepairTests.swift",
]
let hasMemberTestsOnly = coreOnly?.split(separator: " ").contains("IntercomTests/Members") == true

/// Set by CI: names of test targets that are left out, as gates build and run them.
let leftOut = (Context.environment["COMLINK_LEFT_OUT"] ?? "").split(separator: " ")

/// Set where a build is to be quick, beside `-Xswiftc -Onone`: 1, of what computes little nothing is optimised, other
/// packages included; demo, nor is what computes for tests alone.
let quick = Context.environment["COMLINK_QUICK"]

let swiftSettings: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Lifetimes"),
]

let cSettings: [CSetting] = [
  .enableWarning("all"), .enableWarning("extra"),
  .treatAllWarnings(as: .error),
]

/// Gate 1 of CI: function effects and stack use of everything the process callback reaches.
let realtimeSettings: [CSetting] =
  cSettings + [
    .enableWarning("function-effects"), .enableWarning("alloca"), .enableWarning("vla"),
    .enableWarning("frame-larger-than=1024"), .enableWarning("cast-function-type-strict"),
  ]

/// Nothing waits for their modules, which unoptimised code has made by a second run of the compiler otherwise.
let unoptimised: [SwiftSetting] = [
  .unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))
]

/// Optimised in a quick build, too; the driver, which is told otherwise for all, has its say before the frontend.
let optimised: [SwiftSetting] =
  quick == nil
  ? []
  : [
    .unsafeFlags(
      ["-Xfrontend", "-O", "-Xfrontend", "-enable-default-cmo"], .when(configuration: .release))
  ]

/// What a target computes.
enum Work {
  /// What sound passes.
  case sound
  /// Much, but only in tests, which run hours of virtual time.
  case simulated
  /// Little.
  case little

  var settings: [SwiftSetting] {
    switch self {
    case .sound: swiftSettings + optimised
    case .simulated: swiftSettings + (quick == "demo" ? [] : optimised)
    case .little: swiftSettings
    }
  }
}

func swiftTarget(
  _ name: String, _ dependencies: [Target.Dependency] = [], work: Work = .sound
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: work.settings)
}

/// Tests, not optimised but for those that compute much themselves.
///
/// The others only ask and compare: it would take longer than it saves.
func tests(
  _ name: String, _ dependencies: [Target.Dependency], sources: [String]? = nil,
  resources: [Resource] = [], compute: Bool = false
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, sources: sources, resources: resources,
    swiftSettings: compute ? Work.sound.settings : swiftSettings + unoptimised)
}

let system: [Target] = [
  .systemLibrary(
    name: "SystemJACK", path: "CSupport/System/JACK", pkgConfig: "jack",
    providers: [.apt(["libjack-jackd2-dev"])]),
  .systemLibrary(
    name: "SystemOpus", path: "CSupport/System/Opus", pkgConfig: "opus",
    providers: [.apt(["libopus-dev"])]),
  .systemLibrary(
    name: "SystemOgg", path: "CSupport/System/Ogg", pkgConfig: "ogg",
    providers: [.apt(["libogg-dev"])]),
  .systemLibrary(
    name: "SystemUring", path: "CSupport/System/Uring", pkgConfig: "liburing",
    providers: [.apt(["liburing-dev"])]),
  .systemLibrary(
    name: "SystemSamplerate", path: "CSupport/System/Samplerate", pkgConfig: "samplerate",
    providers: [.apt(["libsamplerate0-dev"])]),
  .systemLibrary(
    name: "SystemSpeexDSP", path: "CSupport/System/SpeexDSP", pkgConfig: "speexdsp",
    providers: [.apt(["libspeexdsp-dev"])]),
  .systemLibrary(
    name: "SystemSodium", path: "CSupport/System/Sodium", pkgConfig: "libsodium",
    providers: [.apt(["libsodium-dev"])]),
  .systemLibrary(
    name: "SystemSQLite", path: "CSupport/System/SQLite", pkgConfig: "sqlite3",
    providers: [.apt(["libsqlite3-dev"])]),
  .systemLibrary(
    name: "SystemQREncode", path: "CSupport/System/QREncode", pkgConfig: "libqrencode",
    providers: [.apt(["libqrencode-dev"])]),
  .systemLibrary(
    name: "SystemOpenSSL", path: "CSupport/System/OpenSSL", pkgConfig: "libcrypto",
    providers: [.apt(["libssl-dev"])]),
]

let c: [Target] = [
  .target(
    name: "CRealtime", dependencies: ["SystemJACK"], path: "CSupport/CRealtime",
    cSettings: realtimeSettings),
  .target(
    name: "COpus", dependencies: ["SystemOpus"], path: "CSupport/COpus", cSettings: cSettings),
  .target(
    name: "COgg", dependencies: ["SystemOgg"], path: "CSupport/COgg", cSettings: cSettings),
  .target(
    name: "CUring", dependencies: ["SystemUring"], path: "CSupport/CUring", cSettings: cSettings),
  .target(
    name: "CSamplerate", dependencies: ["SystemSamplerate"], path: "CSupport/CSamplerate",
    cSettings: cSettings),
  .target(
    name: "CSpeexDSP", dependencies: ["SystemSpeexDSP"], path: "CSupport/CSpeexDSP",
    cSettings: cSettings),
  // Loaded when they are wanted.
  .target(name: "CRNNoise", path: "CSupport/CRNNoise", cSettings: cSettings),
  .target(name: "CDeepFilter", path: "CSupport/CDeepFilter", cSettings: cSettings),
  .target(name: "CSoundTouch", path: "CSupport/CSoundTouch", cSettings: cSettings),
  .target(name: "CMySofa", path: "CSupport/CMySofa", cSettings: cSettings),
  .target(name: "CAEC3", path: "CSupport/CAEC3", exclude: ["library"], cSettings: cSettings),
  .target(
    name: "CSodium", dependencies: ["SystemSodium"], path: "CSupport/CSodium",
    cSettings: cSettings),
  .target(
    name: "CSQLite", dependencies: ["SystemSQLite"], path: "CSupport/CSQLite",
    cSettings: cSettings),
  .target(
    name: "CQREncode", dependencies: ["SystemQREncode"], path: "CSupport/CQREncode",
    cSettings: cSettings),
  .target(
    name: "COpenSSL", dependencies: ["SystemOpenSSL"], path: "CSupport/COpenSSL",
    cSettings: cSettings),
  .target(name: "CDecode", path: "CSupport/CDecode", cSettings: cSettings),
  .target(name: "CEvdev", path: "CSupport/CEvdev", cSettings: cSettings),
  .target(name: "CGPIO", path: "CSupport/CGPIO", cSettings: cSettings),
]

let core: [Target] = [
  swiftTarget("RTP"),
  swiftTarget("Media", ["RTP"]),
  swiftTarget("Voice", ["CSpeexDSP", "CRNNoise", "CDeepFilter", "CSoundTouch", "CAEC3"]),
  swiftTarget("Measurement"),
  swiftTarget("System"),
  .target(
    name: "Mesh", dependencies: ["Cryptography"], exclude: ["MESSAGES.md"],
    swiftSettings: Work.simulated.settings),
  swiftTarget("Lines", ["Cryptography", "RTP"], work: .simulated),
  swiftTarget("Audio", ["CRealtime", "COpus", "CSamplerate", "CMySofa", "System"]),
  swiftTarget("Habits", ["Cryptography", "StatusSchema"]),
  swiftTarget("JackSession", ["Habits", "Audio", "CRealtime", "System"]),
  swiftTarget("EventLoop", ["CUring", "System"]),
  swiftTarget("Cryptography", ["CSodium", "COpenSSL"]),
  swiftTarget("Store", ["Habits", "Cryptography", "Mesh", "System"], work: .little),
  swiftTarget("Messages", ["Cryptography"], work: .simulated),
  swiftTarget("Captions", ["Cryptography"], work: .simulated),
  swiftTarget(
    "Journal", ["CSQLite", "Assistant", "Cryptography", "Messages", "System"], work: .little),
  swiftTarget("Assistant", work: .little),
  swiftTarget("Barcode", ["CQREncode"], work: .little),
  swiftTarget("Keys", work: .little),
  swiftTarget("Speech", work: .little),
  swiftTarget("KeyDevices", ["Keys", "CEvdev", "CGPIO", "System"], work: .little),
  swiftTarget("Recording", ["Audio", "CDecode", "COgg", "System"]),
  .executableTarget(
    name: "comlink-decode", cSettings: cSettings, linkerSettings: [.linkedLibrary("dl")]),
  .target(name: "StatusSchema", exclude: ["STATUS.md"], swiftSettings: Work.little.settings),
  swiftTarget(
    "Intercom",
    [
      "RTP", "Media", "Voice", "Measurement", "Mesh", "Lines", "Habits", "Audio", "JackSession",
      "Cryptography",
      "EventLoop", "StatusSchema",
    ]),
]

let coreTests: [Target] = [
  .target(
    name: "TestKit", dependencies: ["RTP", "Media", "Mesh", "Cryptography", "StatusSchema"],
    path: "Tests/TestKit",
    swiftSettings: Work.simulated.settings),
  tests("SystemTests", ["System"]),
  tests("RTPTests", ["RTP", "TestKit"], resources: [.copy("Corpus")], compute: true),
  tests("MediaTests", ["Media", "RTP", "TestKit"], compute: true),
  tests("VoiceTests", ["Voice", "Measurement", "TestKit"], compute: true),
  tests("MeasurementTests", ["Measurement", "StatusSchema", "TestKit"], compute: true),
  tests(
    "MeshTests", ["Mesh", "Cryptography", "TestKit"],
    resources: [.copy("Corpus"), .copy("Recorded")], compute: true),
  tests("LaneTests", ["Mesh", "Cryptography", "TestKit"], compute: true),
  tests("LinesTests", ["Lines", "RTP", "Cryptography", "TestKit"], compute: true),
  .target(
    name: "TestJack", dependencies: ["System", "TestKit"], path: "Tests/TestJack",
    swiftSettings: Work.simulated.settings),
  tests("AudioTests", ["Audio", "TestKit"]),
  tests("JackSessionTests", ["JackSession", "Habits", "Audio", "System", "TestJack", "TestKit"]),
  .target(name: "CRefusal", path: "Tests/CRefusal", cSettings: cSettings),
  tests("EventLoopTests", ["EventLoop", "TestKit", "CRefusal"]),
  tests("CryptographyTests", ["Cryptography", "TestKit"]),
  tests("StoreTests", ["Store", "Habits", "Cryptography", "Mesh"]),
  tests("MessagesTests", ["Messages", "Cryptography", "TestKit"], compute: true),
  tests("CaptionsTests", ["Captions", "Cryptography", "Mesh", "TestKit"]),
  .target(
    name: "CFaultyDisk", dependencies: ["SystemSQLite"], path: "Tests/CFaultyDisk",
    cSettings: cSettings),
  tests(
    "JournalTests",
    ["Journal", "Assistant", "CFaultyDisk", "Messages", "Cryptography", "TestKit"]),
  tests("AssistantTests", ["Assistant", "TestKit"]),
  tests("BarcodeTests", ["Barcode"]),
  tests("KeysTests", ["Keys", "TestKit"]),
  tests("SpeechTests", ["Speech", "TestKit"]),
  tests("KeyDevicesTests", ["KeyDevices", "Keys", "CEvdev", "CGPIO", "System"]),
  tests("RecordingTests", ["Recording", "comlink-decode", "Audio", "TestKit"]),
  tests("RealtimeTests", ["CRealtime", "TestJack", "TestKit"]),
  .target(
    name: "TestNode", dependencies: ["Intercom", "Mesh", "Cryptography"], path: "Tests/TestNode",
    swiftSettings: Work.simulated.settings),
  tests(
    "IntercomTests",
    [
      "Intercom", "RTP", "Media", "Voice", "Measurement", "Mesh", "Lines", "Habits",
      "Cryptography", "Audio", "JackSession", "EventLoop", "StatusSchema", "TestJack", "TestKit",
      "TestNode",
    ], sources: hasMemberTestsOnly ? memberTests : nil, resources: [.copy("Corpus")], compute: true),
]

let programs: [Target] = [
  // Without pkg-config: of what its files say, the package manager refuses -D_REENTRANT.
  // Debian: libavahi-client-dev, libavahi-core-dev.
  .target(
    name: "CAvahi", path: "CSupport/CAvahi", cSettings: cSettings,
    linkerSettings: [.linkedLibrary("avahi-common")]),
  swiftTarget("Discovery", ["CAvahi", "Mesh", "Cryptography", "System"], work: .little),
  .executableTarget(
    name: "comlink-discover", dependencies: ["Discovery", "Mesh", "Cryptography"],
    path: "Tests/DiscoverProgram", swiftSettings: Work.little.settings),
  tests(
    "DiscoveryTests",
    ["CAvahi", "Discovery", "Mesh", "Cryptography", "comlink-discover", "TestKit", "TestRig"],
    resources: [.copy("Corpus")]),
  swiftTarget("ServiceLoop", [.product(name: "NIOCore", package: "swift-nio")], work: .little),
  swiftTarget(
    "ControlSocket",
    [
      "Remote", "ServiceLoop", "StatusSchema", "System",
      .product(name: "NIOCore", package: "swift-nio"),
      .product(name: "NIOPosix", package: "swift-nio"),
    ], work: .little),
  swiftTarget("Remote", ["StatusSchema", "System"], work: .little),
  swiftTarget(
    "WebService",
    [
      "Cryptography", "ServiceLoop", "System",
      .product(name: "NIOCore", package: "swift-nio"),
      .product(name: "NIOPosix", package: "swift-nio"),
      .product(name: "NIOHTTP1", package: "swift-nio"),
      .product(name: "NIOSSL", package: "swift-nio-ssl"),
    ], work: .little),
  .target(
    name: "TestWeb",
    dependencies: [
      .product(name: "NIOCore", package: "swift-nio"),
      .product(name: "NIOPosix", package: "swift-nio"),
    ], path: "Tests/TestWeb", swiftSettings: Work.simulated.settings),
  tests("WebServiceTests", ["WebService", "Cryptography", "TestWeb"]),
  swiftTarget(
    "Chat",
    [
      "Assistant", "ServiceLoop", "WebService",
      .product(name: "NIOCore", package: "swift-nio"),
      .product(name: "NIOPosix", package: "swift-nio"),
      .product(name: "NIOHTTP1", package: "swift-nio"),
    ], work: .little),
  tests("ChatTests", ["Chat", "Assistant", "TestWeb", "WebService"]),
  .target(
    name: "CKernel", path: "CSupport/CKernel", cSettings: cSettings),
  swiftTarget(
    "Doctor", ["CKernel", "Audio", "JackSession", "EventLoop", "StatusSchema", "System"],
    work: .little),
  tests("DoctorTests", ["Doctor", "StatusSchema"]),
  .target(
    name: "Panel",
    dependencies: [
      "ControlSocket", "Cryptography", "Remote", "ServiceLoop", "StatusSchema", "System",
      .product(name: "NIOCore", package: "swift-nio"),
      .product(name: "NIOPosix", package: "swift-nio"),
      .product(name: "NIOHTTP1", package: "swift-nio"),
      .product(name: "NIOWebSocket", package: "swift-nio"),
      .product(name: "NIOSSL", package: "swift-nio-ssl"),
    ],
    // The page's files: in the programs, not beside them.
    resources: [.embedInCode("Web")], swiftSettings: Work.little.settings),
  tests(
    "PanelTests",
    [
      "Panel", "ControlSocket", "Cryptography", "Remote", "ServiceLoop", "StatusSchema",
      "TestKit",
      .product(name: "NIOCore", package: "swift-nio"),
      .product(name: "NIOPosix", package: "swift-nio"),
      .product(name: "NIOHTTP1", package: "swift-nio"),
      .product(name: "NIOWebSocket", package: "swift-nio"),
      .product(name: "NIOSSL", package: "swift-nio-ssl"),
    ]),
  swiftTarget(
    "ControlPlane",
    [
      "Mesh", "Cryptography", "ServiceLoop", "System",
      .product(name: "NIOCore", package: "swift-nio"),
      .product(name: "NIOPosix", package: "swift-nio"),
      .product(name: "NIOTLS", package: "swift-nio"),
      .product(name: "NIOSSL", package: "swift-nio-ssl"),
    ], work: .little),
  tests(
    "ControlPlaneTests",
    [
      "ControlPlane", "Mesh", "Cryptography", "TestKit",
      .product(name: "NIOCore", package: "swift-nio"),
      .product(name: "NIOPosix", package: "swift-nio"),
      .product(name: "NIOTLS", package: "swift-nio"),
      .product(name: "NIOSSL", package: "swift-nio-ssl"),
    ], resources: [.copy("Corpus")]),
  swiftTarget(
    "SpeechLink",
    [
      "Speech", "ServiceLoop", "System",
      .product(name: "NIOCore", package: "swift-nio"),
      .product(name: "NIOPosix", package: "swift-nio"),
    ], work: .little),
  tests(
    "SpeechLinkTests",
    [
      "SpeechLink", "Speech", "TestKit",
      .product(name: "NIOCore", package: "swift-nio"),
      .product(name: "NIOPosix", package: "swift-nio"),
    ]),
  swiftTarget(
    "NodeDaemon",
    [
      "Intercom", "Audio", "JackSession", "EventLoop", "Media", "Voice", "Mesh", "Lines", "Keys",
      "Habits", "ControlPlane",
      "Discovery", "Doctor", "Panel", "Recording", "Remote", "ControlSocket", "StatusSchema",
      "Journal", "Messages", "Captions", "Cryptography", "Assistant", "Chat", "Speech",
      "SpeechLink", "WebService",
      "Store", "CKernel", "System",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
      .product(name: "Logging", package: "swift-log"),
      .product(name: "TOMLKit", package: "TOMLKit"),
    ], work: .little),
  .executableTarget(
    name: "comlinkd", dependencies: ["NodeDaemon"], swiftSettings: Work.little.settings),
  .executableTarget(
    name: "comlink",
    dependencies: [
      "Remote", "StatusSchema", "Barcode", "Captions", "Cryptography", "Doctor", "KeyDevices",
      "Lines", "Store", "System", "Voice",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ], swiftSettings: Work.little.settings),
  .executableTarget(
    name: "comlink-keys",
    dependencies: [
      "KeyDevices", "Keys", "Remote", "StatusSchema", "System",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
      .product(name: "TOMLKit", package: "TOMLKit"),
    ], swiftSettings: Work.little.settings),
  // Both ends of the control socket.
  tests("RemoteTests", ["Remote", "ControlSocket", "StatusSchema", "System"]),
  tests(
    "DaemonTests",
    [
      "NodeDaemon", "Assistant", "ControlPlane", "ControlSocket", "Discovery", "Intercom", "Audio",
      "JackSession", "EventLoop", "Voice", "Habits",
      "Store", "Captions", "Cryptography", "Journal", "Mesh", "Messages", "TestKit", "TestNode",
      "TestRig", "comlink-keys",
      "comlink-decode", "KeyDevices", "Keys", "Measurement", "Panel", "Recording", "Remote",
      "Speech", "StatusSchema", "WebService",
    ]),
  .executableTarget(
    name: "comlink-probe", dependencies: ["CProbe"], path: "Tests/ProbeProgram",
    cSettings: cSettings),
  .target(
    name: "CProbe", dependencies: ["SystemJACK"], path: "Tests/CProbe", cSettings: cSettings),
  .target(
    name: "TestRig",
    dependencies: ["CProbe", "Measurement", "Remote", "StatusSchema", "System", "TestKit"],
    path: "Tests/TestRig",
    swiftSettings: Work.simulated.settings),
  .executableTarget(
    name: "comlink-bench",
    dependencies: [
      "TestRig", "TestKit", "Remote", "StatusSchema", "Audio", "Intercom", "Cryptography",
      "ControlSocket", "Panel",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
      .product(name: "NIOCore", package: "swift-nio"),
      .product(name: "NIOPosix", package: "swift-nio"),
      .product(name: "NIOSSL", package: "swift-nio-ssl"),
    ], path: "Tests/Benchmarks", swiftSettings: Work.little.settings),
  .target(name: "CLink", path: "Tests/CLink", cSettings: cSettings),
  .executableTarget(
    name: "comlink-link", dependencies: ["CLink", "System", "TestKit"], path: "Tests/LinkEmulator",
    swiftSettings: Work.simulated.settings),
  .executableTarget(
    name: "comlink-lane",
    dependencies: ["ControlPlane", "Mesh", "Cryptography", "System"], path: "Tests/LaneProgram",
    swiftSettings: Work.little.settings),
  tests("LinkEmulatorTests", ["comlink-link", "TestKit"]),
  tests(
    "IntegrationTests",
    [
      "TestRig", "TestKit", "CLink", "CProbe", "Remote", "StatusSchema", "RTP", "Media",
      "Intercom", "Mesh", "ControlPlane", "Cryptography", "EventLoop",
    ]),
]

/// Those of the targets that are named, and what they need.
func closure(of names: [String], in targets: [Target]) -> [Target] {
  let all = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
  var needed: [String: Target] = [:]
  var rest = names
  while let name = rest.popLast() {
    guard needed[name] == nil, let target = all[name] else { continue }
    needed[name] = target
    for case .byNameItem(let name, _) in target.dependencies { rest.append(name) }
  }
  return Array(needed.values)
}

let targets =
  switch coreOnly {
  case nil: (system + c + core + coreTests + programs).filter { !leftOut.contains($0.name[...]) }
  case "1": system + c + core + coreTests
  case let names?:
    closure(
      of: names.split(separator: " ").map { String($0.prefix { $0 != "/" }) },
      in: system + c + core + coreTests)
  }

let package = Package(
  name: "comlink",
  products: isCoreOnly
    ? []
    : [
      .executable(name: "comlinkd", targets: ["comlinkd"]),
      .executable(name: "comlink", targets: ["comlink"]),
      .executable(name: "comlink-keys", targets: ["comlink-keys"]),
      .executable(name: "comlink-decode", targets: ["comlink-decode"]),
      .executable(name: "comlink-bench", targets: ["comlink-bench"]),
      .executable(name: "comlink-link", targets: ["comlink-link"]),
    ],
  dependencies: isCoreOnly
    ? []
    : [
      .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
      .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
      .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
      .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
      .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
  targets: targets,
  swiftLanguageModes: [.v6]
)
