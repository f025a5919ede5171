import { strict as assert } from "node:assert";
import { TroupeError } from "../../src/base/errors/troupe-error.ts";
import { withPatience } from "../../src/testing/conformance/assert.ts";
import type { DeclareTest } from "../../src/testing/conformance/check-conformance.ts";

/** A wrong subject for each case, with one mistake that the case should find. */
export type WrongSubjects<Subject, Cases> = Readonly<Record<keyof Cases, () => Subject | Promise<Subject>>>;

/** Share of the usual time after which a case finds that its wrong subject hangs: 400 milliseconds. */
const shareOfTime = 0.1;

/** Declares a test per case: the case must fail with its wrong subject, by an assertion and not by accident. */
export function checkWrongSubjects<Subject, Title extends string>(
  declareTest: DeclareTest,
  cases: Readonly<Record<Title, (subject: Subject) => Promise<void> | void>>,
  wrong: WrongSubjects<Subject, Record<NoInfer<Title>, unknown>>,
): void {
  for (const title of Object.keys(cases) as Title[]) {
    declareTest(`finds that its subject is wrong: ${title}`, async () => {
      const subject = await wrong[title]();
      await assert.rejects(async () => await withPatience(shareOfTime, () => cases[title](subject)), isVerdict);
    });
  }
}

/** Returns true for an assertion of the case or an error of the subject. */
function isVerdict(error: unknown): boolean {
  return error instanceof assert.AssertionError || TroupeError.is(error);
}
