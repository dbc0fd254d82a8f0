<?php

declare(strict_types=1);

namespace Bakery\Oven;

use Psr\Log\LoggerInterface;
use Bakery\Dough\{Bread, Cake as Torte};

const MAX_HEAT = 250;

interface Heats
{
    public function heat(int $degrees): void;
}

trait Timed
{
    private ?int $since = null;

    protected function start(): void
    {
        $this->since = time();
    }
}

/**
 * Bakes what you give it.
 *
 * @final
 */
#[Service]
final class Oven extends Machine implements Heats, \Countable
{
    use Timed;

    public const MODES = [
        'fan',
        'grill',
    ];

    public function __construct(
        private readonly LoggerInterface $log,
        private int $heat = 0,
    ) {
        parent::__construct();
    }

    /** Sets the heat. */
    #[Deprecated]
    public function heat(int $degrees): void
    {
        $check = function (int $value) use ($degrees): bool {
            return $value <= MAX_HEAT;
        };
        if (!$check($degrees)) {
            throw new TooHot();
        }
        $this->start();
    }

    public static function default(): static { return new static(new NullLogger()); }

    abstract protected function door(): Door;

    public function count(): int
    {
        return count($this->trays);
    }
}

enum Mode: string
{
    case Fan = 'fan';

    public function label(): string
    {
        return ucfirst($this->value);
    }
}

function bake(Bread|Torte $dough, int ...$minutes): array
{
    return array_map(fn ($minute) => $dough->rise($minute), $minutes);
}
