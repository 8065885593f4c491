/** The commands of `assay`, by noun and verb. Each is an object in a file of its own, loaded when it is asked for. */
import type { Noun } from "./command.ts";

const guard: Noun = {
  summary: "Deploy and administer the guard: every change is a dry run until --execute",
  verbs: {
    deploy: async () => (await import("./guard/deploy.ts")).deploy,
    status: async () => (await import("./guard/status.ts")).status,
    pause: async () => (await import("./guard/pause.ts")).pause,
    unpause: async () => (await import("./guard/changes.ts")).unpause,
    "rotate-signer": async () => (await import("./guard/rotateSigner.ts")).rotateSigner,
    "allow-route": async () => (await import("./guard/changes.ts")).allowRoute,
    "disallow-route": async () => (await import("./guard/changes.ts")).disallowRoute,
    "allow-recipient": async () => (await import("./guard/changes.ts")).allowRecipient,
    "disallow-recipient": async () => (await import("./guard/changes.ts")).disallowRecipient,
    "grant-role": async () => (await import("./guard/changes.ts")).grantRole,
    "revoke-role": async () => (await import("./guard/changes.ts")).revokeRole,
    apply: async () => (await import("./guard/apply.ts")).apply,
    scheduled: {
      summary: "Show what waits for its delay; execute what is ready, or cancel it",
      bare: async () => (await import("./guard/scheduled.ts")).listScheduled,
      verbs: {
        execute: async () => (await import("./guard/scheduled.ts")).executeScheduled,
        cancel: async () => (await import("./guard/scheduled.ts")).cancelScheduled,
      },
    },
    pending: {
      summary: "Show a transaction that no run saw finish, and finish it",
      bare: async () => (await import("./guard/pending.ts")).showPending,
      verbs: {
        resend: async () => (await import("./guard/pending.ts")).resendPending,
        bump: async () => (await import("./guard/pending.ts")).bumpPending,
        cancel: async () => (await import("./guard/pending.ts")).cancelPending,
      },
    },
    "service-file": async () => (await import("./guard/serviceFile.ts")).serviceFile,
    "market-file": async () => (await import("./guard/marketFile.ts")).marketFile,
    "publish-source": async () => (await import("./guard/publishSource.ts")).publishSource,
    "verify-build": async () => (await import("./guard/verifyBuild.ts")).verifyBuild,
  },
};

const mandate: Noun = {
  summary: "Give agents trading budgets by a Safe, and take them back",
  verbs: {
    deploy: async () => (await import("./mandate/deploy.ts")).deployMandates,
    create: async () => (await import("./mandate/create.ts")).createMandate,
    grant: async () => (await import("./mandate/grant.ts")).grantMandate,
    list: async () => (await import("./mandate/list.ts")).listMandates,
    revoke: async () => (await import("./mandate/grant.ts")).revokeMandate,
  },
};

const keys: Noun = {
  summary: "Make, approve and revoke API keys, whether the service runs or not",
  verbs: {
    list: async () => (await import("./keys.ts")).listKeys,
    history: async () => (await import("./keys.ts")).keyHistory,
    apply: async () => (await import("./keys.ts")).applyForKey,
    create: async () => (await import("./keys.ts")).createKey,
    approve: async () => (await import("./keys.ts")).approveKey,
    revoke: async () => (await import("./keys.ts")).revokeKey,
    limit: async () => (await import("./keys.ts")).limitKey,
  },
};

const payments: Noun = {
  summary: "Show what was paid for which report, compare it with the chain, and refund",
  verbs: {
    list: async () => (await import("./payments/list.ts")).listCommand,
    check: async () => (await import("./payments/check.ts")).checkCommand,
    refund: async () => (await import("./payments/refund.ts")).refundCommand,
  },
};

const log: Noun = {
  summary: "Follow a decision log, find judgements in it, or begin it anew",
  verbs: {
    check: async () => (await import("./log/check.ts")).checkLog,
    find: async () => (await import("./log/find.ts")).findInLog,
    supersede: async () => (await import("./log/supersede.ts")).supersedeLog,
  },
};

const collect: Noun = {
  summary: "Collect prices by hand, show the state of collection, and repair series",
  verbs: {
    once: async () => (await import("./collect/collect.ts")).collectOnce,
    backfill: async () => (await import("./collect/collect.ts")).backfill,
    status: async () => (await import("./collect/status.ts")).collectStatus,
    recompute: async () => (await import("./collect/repair.ts")).recomputeSeries,
    retract: async () => (await import("./collect/repair.ts")).retractSamples,
  },
};

const keystore: Noun = {
  summary: "Make encrypted keystores, and prove and show keys",
  verbs: {
    create: async () => (await import("./keystore/make.ts")).createKeystore,
    import: async () => (await import("./keystore/make.ts")).importKeystore,
    prove: async () => (await import("./keystore/prove.ts")).proveKeystore,
    show: async () => (await import("./keystore/kmsKey.ts")).showKey,
  },
};

export const COMMANDS: Noun = {
  summary: "Runs, checks and administers Assay",
  verbs: {
    verify: async () => (await import("./verify/verify.ts")).verify,
    agent: async () => (await import("./agent/agent.ts")).agent,
    guard,
    mandate,
    keys,
    payments,
    log,
    collect,
    keystore,
    backup: {
      summary: "Write the whole database into a file, and back",
      verbs: {
        create: async () => (await import("./backup.ts")).createBackup,
        restore: async () => (await import("./backup.ts")).restoreBackup,
      },
    },
    database: {
      summary: "Show the database's migrations, and go back to a release",
      verbs: {
        migrations: async () => (await import("./migrations.ts")).migrations,
      },
    },
    retention: async () => (await import("./retention.ts")).retention,
    "check-live": async () => (await import("./live/checkLive.ts")).checkLive,
    mcp: async () => (await import("./mcp/mcp.ts")).mcp,
  },
};
