import type { Operations } from "../../base/telemetry/operations.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";

/** Reads or writes a memory, and records this in telemetry. */
export async function observeMemory<Result>(
  telemetry: Telemetry,
  facts: Operations["memory"]["begin"],
  work: () => Promise<Result>,
): Promise<Result> {
  const operation = telemetry.begin("memory", facts);
  try {
    const result = await operation.run(work);
    operation.end({});
    return result;
  } catch (error) {
    operation.end({ error });
    throw error;
  }
}
