import { expect, it } from "vitest";
import { createLogger } from "./logger.ts";

const calls = 1_000_000;

/** The least of several measurements: what else the machine does only ever adds. */
function leastNanoseconds(work: () => void): number {
  const measured = Array.from({ length: 9 }, () => {
    const start = process.hrtime.bigint();
    for (let call = 0; call < calls; call++) work();
    return Number(process.hrtime.bigint() - start) / calls;
  });
  return Math.min(...measured);
}

it("Logger skips entries below its level, and all when silent, at almost no cost", () => {
  const fields = { runId: "1" };
  const errorsOnly = createLogger({ level: "error", write: () => {} });
  const silent = createLogger();

  expect(leastNanoseconds(() => errorsOnly.debug("text", fields))).toBeLessThan(50);
  expect(leastNanoseconds(() => silent.error("text", fields))).toBeLessThan(50);
  expect(leastNanoseconds(() => silent.child(fields).withSecrets([]))).toBeLessThan(100);
});
