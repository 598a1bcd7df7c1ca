import assert from "node:assert/strict";
import { test } from "node:test";
import { firstFree, heightWithin } from "./labels";

const ROOM = { from: 10, to: 100 };

test("a title stands at the beginning where nothing is there", () => {
  assert.equal(firstFree(50, ROOM, []), 10);
  assert.equal(firstFree(50, ROOM, [{ from: 60, to: 100 }]), 10);
});

test("a title stands behind what it would cover, whatever the order", () => {
  const taken = [
    { from: 40, to: 45 },
    { from: 0, to: 20 },
  ];
  assert.equal(firstFree(15, ROOM, taken), 20);
  assert.equal(firstFree(30, ROOM, taken), 45);
});

test("a title longer than what is free has no place", () => {
  assert.equal(firstFree(60, ROOM, [{ from: 45, to: 50 }]), null);
  assert.equal(firstFree(91, ROOM, []), null);
});

test("a line takes the height between two places, also where it has no point there", () => {
  const rising = [
    { x: 0, y: 0 },
    { x: 100, y: 50 },
  ];
  assert.deepEqual(heightWithin(rising, { from: 40, to: 60 }), { from: 20, to: 30 });
  assert.deepEqual(heightWithin(rising, { from: 90, to: 200 }), { from: 45, to: 50 });
  assert.equal(heightWithin(rising, { from: 101, to: 200 }), null);
  assert.equal(heightWithin([], { from: 0, to: 1 }), null);
});

test("an upright line takes its whole height", () => {
  const upright = [
    { x: 5, y: 1 },
    { x: 5, y: 9 },
  ];
  assert.deepEqual(heightWithin(upright, { from: 0, to: 10 }), { from: 1, to: 9 });
});
