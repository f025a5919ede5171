import type { ImportCost } from "./measure-import.ts";

/**
 * Limits on the weight of the installed packages. A change that needs more raises the number here, in the same commit, to
 * the measured value plus a tenth, and says in its message what users get for the weight.
 */
export const budgets = {
  core: {
    /** Size of the tarball in bytes, with the pages for users. */
    packedBytes: 860_000,
    /** Size on disk in bytes, without the pages for users. */
    unpackedBytes: 2_476_000,
    /** Size on disk of the pages for users in bytes. */
    pagesBytes: 640_000,
    /** Number of third-party libraries. */
    dependencies: 1,
    /**
     * Cost of the import of an entry point: bytes of the modules that it loads, most of whose time is the compiler's, and
     * calls of their functions.
     */
    imports: {
      "@troupe/core": { bytes: 873_000, calls: 720 },
      "@troupe/core/runs": { bytes: 809_000, calls: 610 },
      "@troupe/core/kit": { bytes: 143_000, calls: 160 },
      "@troupe/core/provider": { bytes: 195_000, calls: 170 },
      "@troupe/core/storage": { bytes: 109_000, calls: 120 },
      "@troupe/core/vector": { bytes: 99_000, calls: 120 },
      "@troupe/core/service": { bytes: 938_000, calls: 760 },
      "@troupe/core/transport": { bytes: 520_000, calls: 490 },
      "@troupe/core/testing": { bytes: 1_218_000, calls: 1_320 },
    } as Record<string, ImportCost>,
    /** Type instantiations that core's types add to a program: work of the compiler, and of the editor at each keystroke. */
    instantiations: 150,
  },
  /** Packages in node_modules when all published packages are installed, these included. */
  installedPackages: 256,
  /** A server with one provider: core, http, providers-openai and Express. Agreed with users, not measured. */
  minimalServer: { packages: 74, bytes: 12_000_000 },
  /** Bytes with gzip of one agent with one provider, bundled for a runtime whose `fetch` calls models. Agreed, not measured. */
  bundledAgent: 110_000,
  /**
   * Libraries with an install script: of the library with which BullMQ encodes what it sends to Redis, a part that makes it
   * faster and that it does without where scripts are not run.
   */
  installScripts: ["msgpackr-extract"],
};
