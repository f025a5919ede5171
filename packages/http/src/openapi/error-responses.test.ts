import { errorCodes } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { httpStatusOfCode } from "@troupe/core/transport";
import { errorResponseRefs, errorResponses } from "./error-responses.ts";
import type { OpenApiResponse } from "./open-api-spec.ts";

/** The name of the error response of each status that the service sends. */
const names = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  410: "Gone",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  422: "Refused",
  429: "RateLimited",
  499: "RunCancelled",
  500: "InternalError",
  502: "ModelFailed",
  503: "Unavailable",
  504: "TimedOut",
} as const;
const statuses = Object.keys(names).map(Number);

const refTo = (name: string): object => ({ $ref: `#/components/responses/${name}` });
const other = refTo("OtherError");

/** Returns the response of a status, and of `undefined` that of all others. */
function responseOf(status?: number): OpenApiResponse {
  const name = status === undefined ? "OtherError" : names[status as keyof typeof names];
  return errorResponses()[name] as OpenApiResponse;
}

describe("errorResponses", () => {
  it("has one response for each status of the service, and one for all others", () => {
    expect(Object.keys(errorResponses())).toEqual([...Object.values(names), "OtherError"]);
    expect(errorCodes.map(httpStatusOfCode).filter((status) => !statuses.includes(status))).toEqual([]);
  });

  it.each([...statuses, undefined])("lists Retry-After for 429 and Allow for 405 alone: %s", (status) => {
    expect(responseOf(status).headers).toEqual({
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...(status === 405 && { Allow: { $ref: "#/components/headers/Allow" } }),
      ...(status === 429 && { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }),
    });
  });

  it.each(statuses)("lists the codes of status %s, and shows the first in its example", (status) => {
    const codes = status === 405 ? ["invalid_request"] : errorCodes.filter((code) => httpStatusOfCode(code) === status);
    const { description, content } = responseOf(status);

    expect(codes).not.toEqual([]);
    expect(description).toMatch(/^[A-Z`].*[.`] Codes: `/);
    expect(description.split(" Codes: ")[1]).toBe(`${codes.map((code) => `\`${code}\``).join(", ")}.`);
    expect(content).toEqual({
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        example: {
          error: { code: codes[0], message: expect.stringMatching(/^[^`]+$/), requestId: expect.any(String) },
        },
      },
    });
  });

  it("describes other refusals without codes", () => {
    expect(responseOf().description).not.toContain("Codes");
    expect(responseOf().content).toMatchObject({
      "application/json": { example: { error: { code: "invalid_request" } } },
    });
  });
});

describe("errorResponseRefs", () => {
  it.each(statuses)("refers to the response of status %s by its name", (status) => {
    expect(errorResponseRefs(status)).toMatchObject({ [status]: refTo(names[status as keyof typeof names]) });
  });

  it.each<[number[], string[]]>([
    [[], ["4XX", "default"]],
    [[500], ["500", "4XX", "default"]],
    [
      [500, 503],
      ["500", "503", "4XX", "default"],
    ],
    [[399], ["399", "4XX", "default"]],
    [[400], ["400", "default"]],
    [[499], ["499", "default"]],
    [
      [404, 500, 503],
      ["404", "500", "503", "default"],
    ],
    [
      [500, 404],
      ["404", "500", "default"],
    ],
  ])("declares 4XX for an operation without a 4xx of its own: %j", (declared, expected) => {
    const refs = errorResponseRefs(...declared);

    expect(Object.keys(refs)).toEqual(expected);
    expect(refs["default"]).toEqual(other);
    expect(refs["4XX"]).toEqual(expected.includes("4XX") ? other : undefined);
  });

  it("refers to the response of all others for a status without one", () => {
    expect(errorResponseRefs(418)).toEqual({ 418: other, default: other });
  });
});
