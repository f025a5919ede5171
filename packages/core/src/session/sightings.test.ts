import { describe, expect, it } from "vitest";
import { Sightings } from "./sightings.ts";

const at = (ms: number) => ({ askedAt: ms, answeredAt: ms });
const sign = (process: string, beat: number) => ({ process, beat, leaseMs: 1000 });

describe("Sightings", () => {
  it("take a process for dead whose sign has stayed the same for as long as it promised to renew it", () => {
    const sightings = new Sightings();
    sightings.look("s", [sign("a", 1), sign("b", 1)], at(0));

    expect(sightings.look("s", [sign("a", 1), sign("b", 2)], at(999))).toEqual(new Set());
    expect(sightings.look("s", [sign("a", 1), sign("b", 2)], at(1000))).toEqual(new Set("a"));
    expect(sightings.look("s", [sign("b", 2)], at(1999))).toEqual(new Set("b"));
  });

  it("count from the first answer to the last question, so that a slow storage makes nobody dead", () => {
    const sightings = new Sightings();
    sightings.look("s", [sign("a", 1)], { askedAt: 0, answeredAt: 500 });

    expect(sightings.look("s", [sign("a", 1)], { askedAt: 1499, answeredAt: 9000 })).toEqual(new Set());
    expect(sightings.look("s", [sign("a", 1)], { askedAt: 1500, answeredAt: 9000 })).toEqual(new Set("a"));
  });

  it("know nothing of a process that was away, nor of another line", () => {
    const sightings = new Sightings();
    sightings.look("s", [sign("a", 1)], at(0));
    sightings.look("s", [], at(500));

    expect(sightings.look("s", [sign("a", 1)], at(2000))).toEqual(new Set());
    expect(sightings.look("t", [sign("a", 1)], at(4000))).toEqual(new Set());
  });

  it("remember a thousand lines in which there is somebody, those last looked at", () => {
    const sightings = new Sightings();
    sightings.look("empty", [], at(0));
    for (let line = 0; line <= 1000; line++) {
      sightings.look(`${line}`, [sign("a", 1)], at(0));
      sightings.look("0", [sign("a", 1)], at(0));
    }

    expect(sightings.size).toBe(1000);
    expect(sightings.look("0", [sign("a", 1)], at(1000))).toEqual(new Set("a"));
    expect(sightings.look("1", [sign("a", 1)], at(1000))).toEqual(new Set());
    sightings.forget("0");
    expect(sightings.look("0", [sign("a", 1)], at(3000))).toEqual(new Set());
  });
});
