import { describe, it } from "vitest";
import { checkConformance } from "../../src/testing/conformance/check-conformance.ts";
import { toolSourceCases } from "../../src/testing/conformance/tool-source-cases.ts";
import { checkWrongSubjects } from "./check-wrong-subjects.ts";
import { sourceBut } from "./small-tool-source.ts";
import { wrongToolSources } from "./wrong-tool-sources.ts";

describe("a small ToolSource", () => {
  checkConformance(it, toolSourceCases, { create: () => sourceBut() });
});

describe("the suite of tool sources", () => {
  checkWrongSubjects(it, toolSourceCases, wrongToolSources);
});
