/** A conformance suite, to be passed to `checkConformance`: test cases by title, each run with a fresh subject. */
export type ConformanceCases<Subject> = Readonly<Record<string, (subject: Subject) => Promise<void> | void>>;

/** Declares one test: `it` of vitest, `test` of node:test. */
export type DeclareTest = (title: string, body: () => Promise<void>) => unknown;

/** Creation and disposal of the implementation under test, and the cases that it is known to fail. */
export type ConformanceSubject<Subject, Title extends string> = {
  create: () => Subject | Promise<Subject>;
  dispose?: (subject: Subject) => Promise<void> | void;
  /** Cases that are expected to fail, each with its reason. A case that passes is an error. */
  knownGaps?: Partial<Record<Title, string>>;
};

/**
 * Declares one test for each case of a suite, each with a subject of its own: tests that an implementation keeps the
 * contract of an interface.
 */
export function checkConformance<Subject, Title extends string>(
  declareTest: DeclareTest,
  cases: Readonly<Record<Title, (subject: Subject) => Promise<void> | void>>,
  subject: ConformanceSubject<Subject, NoInfer<Title>>,
): void {
  for (const title of Object.keys(cases) as Title[]) {
    const gap = subject.knownGaps?.[title];
    const run = async () => await checkOne(cases[title], subject);
    if (gap === undefined) declareTest(title, run);
    else declareTest(`${title} (known gap: ${gap})`, async () => await expectGap(run, title));
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

async function expectGap(run: () => Promise<void>, title: string): Promise<void> {
  const failed = await run().then(
    () => false,
    () => true,
  );
  if (!failed) throw new Error(`The known gap "${title}" passes. Remove it from knownGaps.`);
}
