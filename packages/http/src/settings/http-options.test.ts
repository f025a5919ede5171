import { createLogger } from "@troupe/core";
import { createService } from "@troupe/core/service";
import type { Protocol } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { partsOf, readHttpOptions } from "./http-options.ts";

const logger = createLogger();

describe("the parts of a service over HTTP", () => {
  it("have no docs, no uploads and bodies of 1 MiB by default", () => {
    const service = createService({ logger });
    const settings = readHttpOptions({}, "http");
    expect(settings).toEqual({ docs: undefined, uploadRules: undefined });
    expect(partsOf(service, settings)).toEqual({
      service,
      beside: [],
      docs: undefined,
      uploads: undefined,
      maxBodyBytes: 1_048_576,
    });
  });

  it("have the largest body of the service, and the protocols beside this one", () => {
    const service = createService({ logger, maxBodyBytes: 7 });
    const beside: Protocol[] = [{ name: "other", routes: () => [] }];
    const parts = partsOf(service, readHttpOptions({ fileUpload: true }, "http"), beside);
    expect([parts.maxBodyBytes, parts.beside, parts.uploads]).toEqual([7, beside, expect.anything()]);
  });

  it.each([
    [undefined, false],
    [{}, true],
    [{ enabled: true }, true],
    [{ enabled: false }, false],
  ])("have docs with swagger %j: %s", (swagger, expected) => {
    expect(readHttpOptions({ swagger }, "http").docs !== undefined).toBe(expected);
  });

  it.each([
    [undefined, false],
    [false, false],
    [true, true],
    [{}, true],
    [{ maxFiles: 3 }, true],
  ])("have uploads with fileUpload %j: %s", (fileUpload, expected) => {
    expect(readHttpOptions({ fileUpload }, "http").uploadRules !== undefined).toBe(expected);
  });
});
