import { validate } from "@readme/openapi-parser";
import { describe, expect, it } from "vitest";
import { registries } from "../../test/registries.ts";
import { generateOpenAPISpec } from "./generate-open-api-spec.ts";

describe("generateOpenAPISpec", () => {
  it.each(registries.slice(2))(
    "[http.openapi-version] returns a document that a validator of OpenAPI 3.0.3 accepts, with %s",
    async (_, options) => {
      const spec = generateOpenAPISpec(options, { servers: [{ url: "https://example.com/api" }], routePrefix: "/v1" });

      const verdict = await validate(structuredClone(spec) as unknown as Parameters<typeof validate>[0]);

      expect(verdict).toMatchObject({ valid: true, warnings: [] });
      expect(spec.openapi).toBe("3.0.3");
    },
  );
});
