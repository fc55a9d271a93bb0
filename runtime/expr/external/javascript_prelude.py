"""What stands around a function in its JavaScript context, in JavaScript: it runs before the code of users.

It takes away what is not deterministic, freezes all that a call could leave something in for the next one (so that two calls
have in common what they were given, and nothing else), and converts between JavaScript's values and those that cross:

| type             | crosses as                                                            | in JavaScript        |
|------------------|-----------------------------------------------------------------------|----------------------|
| boolean          | boolean                                                               | boolean              |
| smallint, integer| number, back perhaps its text                                         | number               |
| bigint           | its text                                                              | BigInt               |
| real, double     | number                                                                | number               |
| text             | string                                                                | string               |
| jsonb            | its text                                                              | what JSON.parse gives|
| arrays           | JSON: numbers as text where JSON has none, bigint as text             | Array                |

What fails crosses as an exception that is a text: JSON of [SQLSTATE or null, message, line or 0].
"""

from __future__ import annotations

FIRST_LINE = 3
"""The line that the engine counts as the first one of a body that it makes a function of.  The prelude is on line 1."""

_SOURCE = r"""
(function () {
"use strict";
const G = globalThis;
const { defineProperty, freeze, getOwnPropertyDescriptor, getPrototypeOf, is } = Object;
const { construct, ownKeys } = Reflect;

// --- what is not deterministic ---

const without = (what) => () => { throw new TypeError(`${what} is not there in an IMMUTABLE function`); };

function purify() {
  const Clock = Date;
  const fixed = function Date(...given) {
    if (new.target === undefined || given.length === 0) without("the clock")();
    return construct(Clock, given, new.target);
  };
  const replace = (object, key, value) =>
    defineProperty(object, key, { value, writable: true, enumerable: false, configurable: true });
  defineProperty(fixed, "length", { value: 7 });
  for (const key of ["parse", "UTC"]) replace(fixed, key, Clock[key]);
  defineProperty(fixed, "prototype", { value: Clock.prototype, writable: false });
  replace(Clock.prototype, "constructor", fixed);
  replace(fixed, "now", without("Date.now()"));
  replace(G, "Date", fixed);
  replace(Math, "random", without("Math.random()"));
  for (const key of ["performance", "WeakRef", "FinalizationRegistry", "Atomics", "SharedArrayBuffer"]) delete G[key];
}

// --- what a call could change for the next one ---

const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

// A property that is inherited may be given to an object of its own, as if it were not frozen where it is.
function assignable(holder, key) {
  const found = getOwnPropertyDescriptor(holder, key);
  if (!found.configurable || !("value" in found)) return;
  const kept = found.value;
  defineProperty(holder, key, {
    get() { return kept; },
    set(value) {
      if (this === holder || !isObject(this)) throw new TypeError(`'${String(key)}' is read-only`);
      defineProperty(this, key, { value, writable: true, enumerable: true, configurable: true });
    },
    enumerable: found.enumerable,
    configurable: false,
  });
}

function harden() {
  // The engine's own, which are set for all.
  for (const key of ["stackTraceLimit", "prepareStackTrace"])
    defineProperty(Error, key, { value: Error[key], writable: false, configurable: false });
  const errors = ownKeys(G).map((key) => getOwnPropertyDescriptor(G, key).value)
    .filter((value) => typeof value === "function" && (value === Error || getPrototypeOf(value) === Error));
  for (const holder of [Object.prototype, Function.prototype, ...errors.map((error) => error.prototype)])
    for (const key of ownKeys(holder)) assignable(holder, key);
  const pending = [
    G, function* () {}, async function () {}, async function* () {}, [].values(), "".matchAll(/x/g), ""[Symbol.iterator](),
    new Map().values(), new Set().values(), [].values().map((x) => x), Iterator.from({ next() {} }),
    getPrototypeOf(Int8Array), function () { return arguments; }(), (async function* () {})(), (function* () {})(),
  ];
  const seen = new Set([null, undefined]);
  while (pending.length) {
    const object = pending.pop();
    if (!isObject(object) || seen.has(object)) continue;
    seen.add(object);
    pending.push(getPrototypeOf(object));
    for (const key of ownKeys(object)) {
      const { value, get, set } = getOwnPropertyDescriptor(object, key);
      pending.push(value, get, set);
    }
    if (object !== G) freeze(object);
  }
  for (const key of ownKeys(G)) {
    const found = getOwnPropertyDescriptor(G, key);
    if (found.configurable && "value" in found)
      defineProperty(G, key, { writable: false, configurable: false });
  }
}

// --- values ---

class Misfit {
  constructor(message, sqlstate) { this.message = message; this.sqlstate = sqlstate; }
  static in(value) { return isObject(value) && #brand in value; }
  #brand;
}

const fail = (message, sqlstate = "22000") => { throw new Misfit(message, sqlstate); };

function kind(value) {
  if (Array.isArray(value)) return "an array";
  const type = typeof value;
  return (type === "object" ? "an " : "a ") + (type === "bigint" ? "BigInt" : type);
}

const wrong = (value, wanted) => fail(`returned ${kind(value)} where ${wanted} is expected`);

const argument = {
  plain: null,
  bigint: (text) => text === null ? null : BigInt(text),
  json: (text) => text === null ? null : JSON.parse(text),
};
argument.array = {
  plain: argument.json,
  bigint: (text) => text === null ? null : JSON.parse(text).map(argument.bigint),
  number: (text) => text === null ? null : JSON.parse(text).map((x) => typeof x === "string" ? Number(x) : x),
};

function integer(value) {
  if (typeof value === "number") {
    if ((value | 0) === value) return value | 0;
    if (!Number.isInteger(value)) fail(`returned ${value} where an integer is expected`);
    if (!Number.isSafeInteger(value)) fail("returned a number too large to be exact where an integer is expected: return a BigInt");
    return String(value);
  }
  return typeof value === "bigint" ? String(value) : wrong(value, "an integer");
}

function text(value) {
  if (typeof value !== "string") wrong(value, "a string");
  if (value.includes("\0")) fail('invalid byte sequence for encoding "UTF8": 0x00', "22021");
  if (!value.isWellFormed()) fail('invalid byte sequence for encoding "UTF8": a surrogate', "22021");
  return value;
}

const finite = (key, value) =>
  typeof value === "number" && !Number.isFinite(value) ? fail("returned a number that JSON does not have", "22P02") : value;

function json(value) {
  let found = JSON.stringify(value);
  if (found === undefined) wrong(value, "what JSON has");
  // What it writes for numbers that JSON does not have.
  if (found.includes("null")) found = JSON.stringify(value, finite);
  return found;
}

const result = {
  boolean: (value) => typeof value === "boolean" ? value : wrong(value, "a boolean"),
  integer,
  number: (value) => typeof value === "number" ? value : wrong(value, "a number"),
  text,
  json,
};

// Numbers as text: JSON has no NaN, and none that is -0.
const inArray = { ...result, number: (value) => is(result.number(value), -0) ? "-0" : String(value) };

const orNull = (convert) => (value) => value === null || value === undefined ? null : convert(value);

function array(convert) {
  const element = orNull(convert);
  return (value) => {
    if (!Array.isArray(value)) wrong(value, "an array");
    const found = [];
    for (let i = 0; i < value.length; i++) found.push(element(value[i]));
    return JSON.stringify(found);
  };
}

const taken = (name) => name.endsWith("[]") ? argument.array[name.slice(0, -2)] : argument[name];
const given = (name) => name.endsWith("[]") ? array(inArray[name.slice(0, -2)]) : result[name];

// --- errors ---

function failure(error) {
  if (Misfit.in(error)) return JSON.stringify([error.sqlstate, error.message, 0]);
  let message, line = 0;
  try { message = String(error); } catch { message = "an exception without a text"; }
  try {
    for (const [, at] of error.stack.matchAll(/<input>:(\d+)/g)) {
      if (at > 1) { line = Number(at); break; }
    }
  } catch {}
  return JSON.stringify([null, message, line]);
}

const guarded = (called) => (...args) => {
  try { return called(...args); } catch (error) { throw failure(error); }
};

// Written out for the number of arguments: rest and spread cost more than what most functions do.
function converting(called, names, convert) {
  const converts = names.map(taken);
  const inputs = names.map((_, i) => `a${i}`);
  const passed = inputs.map((input, i) => converts[i] === null ? input : `converts[${i}](${input})`);
  return Function("called", "converts", "convert", "failure", `"use strict"; return (${inputs}) => {
    try {
      const value = called(${passed});
      return value === null || value === undefined ? null : convert(value);
    } catch (error) { throw failure(error); }
  }`)(called, converts, convert, failure);
}

// Refused is a body that ends the function and begins another one.
function compiled(parameters, body) {
  const found = Function(...parameters, body);
  if (String(found) !== `function anonymous(${parameters}\n) {\n${body}\n}`)
    throw new SyntaxError("the body of the function ends before its end");
  return found;
}

// --- what is asked for ---

const made = {
  function: guarded((pure, source, parameters, takes, gives) => {
    [parameters, takes] = [JSON.parse(parameters), JSON.parse(takes)];
    if (pure) purify();
    harden();
    freeze(G);
    return converting(compiled(parameters, '"use strict";' + source), takes, given(gives));
  }),

  check: (parameters, source) => { compiled(JSON.parse(parameters), '"use strict";' + source); },
  // What has become of a module: null, or why not.
  watch: (promise) => {
    let outcome = JSON.stringify([null, "it waits for what never comes", 0]);
    promise.then(() => { outcome = null; }, (error) => { outcome = failure(error); });
    return () => outcome;
  },
  prepare: guarded((pure) => { if (pure) purify(); harden(); }),
  aggregate: guarded((takes, gives) => {
    const exported = G.$exports;
    delete G.$exports;
    freeze(G);
    const { initialState, aggregate, finalize } = exported;
    let state;
    const begin = () => { state = undefined; state = initialState(); };
    const end = () => { const last = state; state = undefined; return finalize(last); };
    const add = (...args) => { aggregate(state, ...args); };
    return [guarded(begin), converting(add, JSON.parse(takes), null), converting(end, [], given(gives))];
  }),
  item: (list, number) => list[number],
};
return (what) => made[what];
})()
"""

PRELUDE = " ".join(line for line in _SOURCE.splitlines() if not line.lstrip().startswith("//"))
"""One line, that no error of its own looks like one of a line of the user's."""
