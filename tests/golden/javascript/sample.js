'use strict';
import { Router } from './router.js';
const path = require('path');

/** How long a token lives, in seconds. */
export const TOKEN_TTL = 3600;

const defaults = {
  retries: 3,
  onError(error) {
    console.error(error);
    throw error;
  },
  backoff: (attempt) => {
    return 2 ** attempt * 100;
  },
};

// Adds two numbers.
const add = (a, b) => a + b;

export async function* pages(url, { size = 20 } = {}) {
  let next = url;
  while (next) {
    const page = await fetch(next);
    yield page;
    next = page.next;
  }
}

export default class Client extends EventEmitter {
  #token = null;
  static instances = 0;
  onMessage = (event) => {
    this.emit('message', event);
  };

  constructor(options) {
    super();
    this.options = { ...defaults, ...options };
  }

  get token() { return this.#token; }

  async request(method, url) {
    const attempt = async function attempt(n) {
      if (n > 3) throw new Error('gone');
      return fetch(url, { method });
    };
    return attempt(0);
  }
}

Client.prototype.close = function () {
  this.removeAllListeners();
};

exports.connect = function connect(url) {
  return new Client({ url });
};

module.exports = {
  add,
  join(...parts) {
    return path.join(...parts);
  },
  'quoted-name': function () {
    return add(1, 2);
  },
};

const useStore = create((set) => ({
  count: 0,
  inc: () => set((s) => ({ count: s.count + 1 })),
}));
