package org.example.mill;

import java.util.List;
import static java.util.Map.entry;

/**
 * Grinds corn.
 *
 * @since 1.0
 */
@Service("mill")
public abstract class Mill<T extends Grain> extends Building implements Grinder<T>, AutoCloseable {
    public static final int MAX_LOAD = 500;
    private final List<T> bags = new ArrayList<>();

    static {
        Registry.add("mill");
    }

    /** Opens the mill. */
    @Inject
    public Mill(List<T> bags) {
        this.bags.addAll(bags);
    }

    @Override
    public <R> R grind(
            T grain,
            Function<? super T, ? extends R> how) throws MillException {
        Runnable dust = new Runnable() {
            @Override
            public void run() {
                System.out.println("dust");
            }
        };
        dust.run();
        return how.apply(grain);
    }

    abstract int load();

    @Override public void close() {}

    public enum Stone {
        SAND, GRANITE { @Override int weight() { return 2; } };

        int weight() {
            return 1;
        }
    }

    interface Listener {
        void onFlour(Flour flour);

        /**
         * Told when the wind stops.
         */
        default void onCalm() { }
    }

    @interface Slow {
        int days() default 1;
    }
}

record Flour(String name, double kilos) {
    Flour {
        if (kilos < 0) throw new IllegalArgumentException();
    }
}
