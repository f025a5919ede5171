/** A conformance suite, to be passed to `checkConformance`: test cases by title, each run with a fresh subject. */
export type ConformanceCases<Subject> = Readonly<Record<string, (subject: Subject) => Promise<void> | void>>;

/** Declares one test: `it` of vitest, `test` of node:test. */
export type DeclareTest = (title: string, body: () => Promise<void>) => unknown;

/** Creation and disposal of the implementation under test, and the cases that it is known to fail. */
export type ConformanceSubject<Subject, Title extends string> = {
  create: () => Subject | Promise<Subject>;
  dispose?: (subject: Subject) => Promise<void> | void;
  /** Cases that are expected to fail, each with its reason. A case that passes, or that the suite lacks, is an error. */
  knownGaps?: Partial<Record<Title, string>>;
};

/**
 * Declares one test for each case of a suite, each with a subject of its own: tests that an implementation keeps the
 * contract of an interface. Throws at once for a known gap that the suite has no case for, or that has no reason.
 */
export function checkConformance<Subject, Title extends string>(
  declareTest: DeclareTest,
  cases: Readonly<Record<Title, (subject: Subject) => Promise<void> | void>>,
  subject: ConformanceSubject<Subject, NoInfer<Title>>,
): void {
  checkGaps(Object.keys(cases), subject.knownGaps);
  for (const title of Object.keys(cases) as Title[]) {
    const gap = subject.knownGaps?.[title];
    const run = async () => await checkOne(cases[title], subject);
    if (gap === undefined) declareTest(title, async () => await expectPass(run, title));
    else declareTest(`${title} (known gap: ${gap})`, async () => await expectGap(run, title));
  }
}

/** Refuses a gap that would hide nothing: a misspelt one, or one without a reason. */
function checkGaps(titles: readonly string[], knownGaps: Readonly<Record<string, string | undefined>> = {}): void {
  for (const [title, reason] of Object.entries(knownGaps)) {
    if (!titles.includes(title)) {
      throw new Error(`knownGaps names "${title}", which is no case of this suite. Its cases: ${titles.join(" · ")}.`);
    }
    if (reason?.trim() === "") {
      throw new Error(
        `The known gap "${title}" has no reason. Expected a sentence that says why the case cannot pass.`,
      );
    }
  }
}

async function checkOne<Subject>(
  check: (subject: Subject) => Promise<void> | void,
  { create, dispose }: ConformanceSubject<Subject, string>,
): Promise<void> {
  const subject = await create();
  try {
    await check(subject);
  } finally {
    await dispose?.(subject);
  }
}

async function expectPass(run: () => Promise<void>, title: string): Promise<void> {
  try {
    await run();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const sentence = `Expected a subject that ${title}, but: ${message.replace(/\.$/, "")}.`;
    throw new Error(`${sentence} Mend it, or name the case in knownGaps: { "${title}": "a reason" }.`, { cause });
  }
}

async function expectGap(run: () => Promise<void>, title: string): Promise<void> {
  const failed = await run().then(
    () => false,
    () => true,
  );
  if (!failed) throw new Error(`The known gap "${title}" passes. Remove it from knownGaps.`);
}
