import { describe, expect, it } from "vitest";
import type { Logger } from "../base/log/logger.ts";
import { isPrivateUrl } from "./wire/private-address.ts";
import { createOmissionReport, createRequestContext } from "./request-context.ts";
import type { RequestOmission } from "../model/omission.ts";

/** A logger that keeps the level, message and fields of its entries. */
function keepingLogger() {
  const entries: unknown[] = [];
  const keep =
    (level: string) =>
    (...entry: unknown[]) =>
      void entries.push([level, ...entry]);
  const logger: Logger = {
    debug: keep("debug"),
    info: keep("info"),
    warn: keep("warn"),
    error: keep("error"),
    child: () => logger,
    withSecrets: () => logger,
  };
  return { logger, entries };
}

const model = { providerId: "one", modelId: "one-1" };
const log = (what: string) => ["debug", `${what} is left out: the model has none`, { vendor: "one", model: "one-1" }];

describe("createOmissionReport", () => {
  it("reports to the log and to the run what is left out, and whether it is a part of the messages", () => {
    const { logger, entries } = keepingLogger();
    const omissions: RequestOmission[] = [];
    const report = createOmissionReport({ ...model, apiKey: "secret" } as typeof model, {
      logger,
      onOmitted: (omission) => void omissions.push(omission),
    });
    report("seed", "the model has none");
    report("an image", "the model has none", "messages");

    expect(omissions).toStrictEqual([
      { what: "seed", reason: "the model has none", ...model },
      { what: "an image", reason: "the model has none", ...model, isInMessages: true },
    ]);
    expect(entries).toStrictEqual([log("seed"), log("an image")]);
  });

  it("reports to the log alone where the run does not listen", () => {
    const { logger, entries } = keepingLogger();
    createOmissionReport(model, { logger })("seed", "the model has none");

    expect(entries).toStrictEqual([log("seed")]);
  });
});

describe("createRequestContext", () => {
  it("reports to the run what is lost, and to the log alone what is replaced", () => {
    const { logger, entries } = keepingLogger();
    const omissions: unknown[] = [];
    const rules = { a: 1 };
    const context = createRequestContext(
      model,
      { rules, logger },
      { onOmitted: ({ what }) => void omissions.push(what) },
    );
    context.reportReplaced("format", "the model has none");
    context.reportOmitted("seed", "the model has none");

    expect([context.model, context.rules]).toEqual([model, rules]);
    expect(omissions).toEqual(["seed"]);
    expect(entries).toEqual([log("format"), log("seed")]);
  });

  it("has the check of URLs that it is given, else that of private addresses", () => {
    const { logger } = keepingLogger();
    const own = () => true;

    expect(createRequestContext(model, { rules: {}, logger }, {}).isPrivateUrl).toBe(isPrivateUrl);
    expect(createRequestContext(model, { rules: {}, logger, isPrivateUrl: own }, {}).isPrivateUrl).toBe(own);
  });
});
