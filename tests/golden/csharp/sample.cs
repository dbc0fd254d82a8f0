using System;
using Json = System.Text.Json;

namespace Harbour.Ships
{
    /// <summary>A ship and its cargo.</summary>
    [Serializable]
    public sealed class Ship<T> : Vessel, IComparable<Ship<T>> where T : Cargo
    {
        private const int MaxHolds = 12;
        public static readonly string[] Flags =
        {
            "de",
            "nl",
        };

        public string Name { get; set; } = "";

        public int Weight
        {
            get { return _holds.Sum(hold => hold.Weight); }
            private set { _weight = value; }
        }

        public event EventHandler<T> Loaded;

        public Ship(string name) : base(name)
        {
            Name = name;
        }

        ~Ship() => Dispose();

        /// <summary>
        /// Loads a hold.
        /// </summary>
        /// <param name="cargo">What to load.</param>
        [Obsolete("use LoadAsync")]
        public void Load(T cargo)
        {
            void Check(T candidate)
            {
                if (candidate is null) throw new ArgumentNullException(nameof(candidate));
            }
            Check(cargo);
            Loaded?.Invoke(this, cargo);
        }

        public async Task<int> LoadAsync<TKey>(TKey key) => await _port.FetchAsync<TKey>(key);

        public T this[int hold] => _holds[hold];

        public static Ship<T> operator +(Ship<T> ship, T cargo)
        {
            ship.Load(cargo);
            return ship;
        }

        public static implicit operator string(Ship<T> ship) => ship.Name;
    }

    public record Position(double Lat, double Lon);

    public interface IPort { void Moor(Vessel vessel); }

    internal struct Anchor { public int Weight; }

    public enum Berth { North, South }

    public delegate void Signal(int code);
}
