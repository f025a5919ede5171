import { beforeEach, describe, expect, it } from "vitest";
import { SharedLine } from "./shared-line.ts";
import { Sightings } from "./sightings.ts";
import { hasty, join, leaseMs, pass, patient, startProcesses, useFakeTime } from "./test/processes.ts";
import type { Process } from "./test/processes.ts";

beforeEach(useFakeTime);

/** The line of one more process, and what is kept of it. */
function startLine({ storage }: Process) {
  const kept = { sightings: new Sightings(), isEmpty: false };
  let lastNumber = 0;
  const keeper = {
    driver: storage,
    process: "own",
    leaseMs,
    sightings: kept.sightings,
    nextNumber: () => ++lastNumber,
  };
  return { kept, line: new SharedLine(keeper, "-/s", () => void (kept.isEmpty = true)) };
}

describe("SharedLine", () => {
  it("keeps nothing of those whom it saw once it has had its turn", async () => {
    const { processes } = startProcesses(1);
    const [other] = processes as [Process];
    const { line, kept } = startLine(other);
    const [before, place] = [join(other), line.join(patient)];
    await pass();
    expect(kept.sightings.size).toBe(1);
    before.leave();
    const behind = join(other);
    await pass();
    place.leave();
    await pass();

    expect(kept.sightings.size).toBe(0);
    expect(kept.isEmpty).toBe(true);
    behind.leave();
    await pass();
  });

  it("keeps whom it saw when all that came were refused, for the next who comes", async () => {
    const { processes } = startProcesses(1);
    const [other] = processes as [Process];
    const { line, kept } = startLine(other);
    const before = join(other);
    await pass();
    await expect(line.join(hasty).granted).rejects.toMatchObject({ code: "conflict" });
    await pass();

    expect(kept.sightings.size).toBe(1);
    expect(kept.isEmpty).toBe(true);
    before.leave();
    await pass();
  });
});
