import Foundation

/// How loud it may be.
let MAX_VOLUME = 11

/// Plays songs.
/// One at a time.
@MainActor
public final class Player: NSObject, Playable {
    static let shared = Player()
    private var queue: [Song] = []

    var isPlaying: Bool {
        get { return !queue.isEmpty }
        set { if !newValue { queue.removeAll() } }
    }

    public init(queue: [Song] = []) {
        self.queue = queue
        super.init()
    }

    deinit {
        stop()
    }

    /// Plays a song.
    @discardableResult
    public func play(_ song: Song, at volume: Int = 5) async throws -> Bool {
        func check(_ volume: Int) -> Bool {
            let limit = MAX_VOLUME
            return volume <= limit
        }
        guard check(volume) else { throw PlayerError.tooLoud }
        queue.append(song)
        return true
    }

    subscript(index: Int) -> Song {
        return queue[index]
    }
}

extension Player: CustomStringConvertible {
    public var description: String {
        return "Player(\(queue.count))"
    }
}

struct Song: Codable {
    let title: String
    mutating func rename(to title: String) { self = Song(title: title) }
}

enum PlayerError: Error {
    case tooLoud
    case missing(String)

    var message: String {
        switch self {
        case .tooLoud: return "too loud"
        case .missing(let name): return name
        }
    }
}

protocol Playable: AnyObject {
    func stop()
    /// Skips ahead
    /// by so many songs.
    func skip(_ count: Int)
}

actor Mixer {
    func mix(_ songs: [Song]) -> Song? { songs.first }
}

typealias Playlist = [Song]

func makePlayer<T: Sequence>(from songs: T) -> Player where T.Element == Song {
    Player(queue: Array(songs))
}
