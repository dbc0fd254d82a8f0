export class Clock {
  instant(): number {
    return Date.now();
  }
}

export default function systemClock(): Clock {
  return new Clock();
}
