import { expect, it } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import type { Registries } from "./run-service-options.ts";
import { warnOfUnsafeSteps } from "./run-service-options.ts";

const step = (name: string, more: object = {}) => ({ name, kind: "function", ...more });
const flow = (...plannedSteps: object[]) => ({ plannedSteps });

function warned(workflows: unknown): unknown[] {
  const entries: unknown[] = [];
  const logger = createLogger({ level: "debug" });
  const told = { ...logger, warn: (...args: unknown[]) => void entries.push(args) };
  warnOfUnsafeSteps({ workflows } as Registries, told);
  return entries;
}

const warning = (names: string) => [
  [
    `The function steps ${names} have no effect, so a run whose process ends during one waits for an answer. ` +
      'Give each effect: "pure" or "idempotent" to call it again, or "once" to be asked.',
  ],
];

it.each([
  [{ ship: flow(step("pack"), step("send")) }, "ship/pack, ship/send"],
  [{ ship: flow(step("pack")), bill: flow(step("pay", { effect: undefined })) }, "ship/pack, bill/pay"],
  [new Map([["ship", flow(step("pack"))]]), "ship/pack"],
  [{ ship: flow(step("pack", { effect: "once" }), step("send")) }, "ship/send"],
])("%# warns once of the function steps that declare no effect: %s", (workflows, names) => {
  expect(warned(workflows)).toEqual(warning(names));
});

it.each([
  [undefined],
  [{}],
  [new Map()],
  [{ ship: flow() }],
  [{ ship: {} }],
  [{ ship: { plannedSteps: "pack" } }],
  [{ ship: flow(...["pure", "idempotent", "once"].map((effect) => step(effect, { effect }))) }],
  [{ ship: flow(...["agent", "condition", "parallel"].map((kind) => ({ name: kind, kind }))) }],
])("%# warns of nothing where all say it, or there is none", (workflows) => {
  expect(warned(workflows)).toEqual([]);
});
