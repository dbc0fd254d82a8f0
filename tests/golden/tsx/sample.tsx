import React, { useState } from "react";

export interface CounterProps {
  start?: number;
  onChange?: (n: number) => void;
}

/** A button that counts. */
export function Counter({ start = 0, onChange }: CounterProps) {
  const [count, setCount] = useState(start);
  const increment = () => {
    setCount(count + 1);
    onChange?.(count + 1);
  };
  return (
    <button className="counter" onClick={increment}>
      {count}
    </button>
  );
}

export const Panel: React.FC<{ title: string }> = ({ title, children }) => {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
};

const Fancy = React.memo(function Fancy(props: CounterProps) {
  return <Counter {...props} />;
});

class Boundary extends React.Component<{}, { failed: boolean }> {
  state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  render() {
    return this.state.failed ? <p>Broken</p> : this.props.children;
  }
}

export default Fancy;
