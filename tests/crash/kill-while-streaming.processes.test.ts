import { expect, it } from "vitest";
import { killDemoWhileStreaming, killWhileStreaming } from "./kill-while-streaming.ts";

/** The number of kills; more for those who have the time: about two seconds each. */
const kills = Number(process.env["TROUPE_KILLS"] ?? "20");

it("a service with durable runs that is killed while clients read their streams goes on with each run: nothing is missing, nothing comes twice, and no tool has its effect again", async () => {
  const report = await killWhileStreaming({ kills, seed: 5 });

  expect(report.faults).toEqual([]);
  expect(report.kills).toBe(kills);
  expect(Object.keys(report.ends)).not.toContain("none");
  // Some runs are killed three times in a row before they have done anything, and end so.
  expect(report.ends["completed"]).toBeGreaterThan(kills / 2);
  expect(report.reconnects).toBeGreaterThan(kills);
  expect(report.resets + report.interrupted).toBeGreaterThan(0);
  expect(report.effects).toBeGreaterThan(0);
});

it("the demo server that is killed while clients read streams goes on with each run: nothing is missing, and nothing comes twice", async () => {
  const report = await killDemoWhileStreaming({ kills: Math.ceil(kills / 5), seed: 5 });

  expect(report.faults).toEqual([]);
  expect(report.ends["completed"]).toBeGreaterThan(0);
  expect(Object.keys(report.ends)).not.toContain("none");
  expect(report.resets + report.interrupted).toBeGreaterThan(0);
});
