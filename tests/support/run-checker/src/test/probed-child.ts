// Leaves a rejection unhandled, and sends its probe on request. With `listening`, handles such errors, and also throws
// an exception.
import { ProcessProbe } from "../probe.ts";

const probe = new ProcessProbe();
if (process.argv[2] === "listening") {
  process.on("uncaughtException", () => {});
  process.on("unhandledRejection", () => {});
  setTimeout(() => {
    throw new Error("an exception");
  });
}
process.on("message", () => process.send?.(probe.take()));
process.send?.("ready");
setTimeout(() => void Promise.reject(new Error("a rejection")));
