import { takeBreaches, watchFetches } from "@troupe-internal/stream-grammars";
import { afterAll, afterEach } from "vitest";

/** Fails if a stream has broken the grammar of its protocol since the last look, whoever has read it. */
function checkGrammars(): void {
  const [first] = takeBreaches();
  if (first !== undefined) throw first;
}

watchFetches();
afterEach(checkGrammars);
afterAll(checkGrammars);
