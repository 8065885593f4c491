-- The tables of both engines. Their types in TypeScript are in schema.ts.
-- Portable by design: decimals and JSON are text, flags are 0 or 1. Times are unix seconds, or milliseconds where it says so.
-- Hashes and digests are hexadecimal; addresses are EIP-55.
-- Words in braces differ by engine (migrations/0001_baseline.ts). A clustered table is its key: what is read together lies
-- together. An unlogged one may be lost in a crash of PostgreSQL. A statement for one engine alone names it in its comment.

-- ## API keys

-- Whom a key of the HTTP APIs belongs to. The key itself is never stored.
create table api_keys (
  id text primary key,
  digest text not null unique, -- SHA-256 of the key
  name text not null,
  email text not null,
  purpose text not null,
  state text not null check (state in ('pending', 'active', 'revoked')),
  limit_per_minute integer check (limit_per_minute > 0), -- null: the default of the service
  created_at bigint not null, -- milliseconds
  updated_at bigint not null -- milliseconds
);

-- What happened to a key, who did it and when. Rows are only ever added.
create table api_key_events (
  id text primary key,
  key_id text not null references api_keys (id),
  actor text not null,
  action text not null,
  detail text, -- such as the new limit
  at bigint not null -- milliseconds
);
create index api_key_events_key on api_key_events (key_id, at);

-- {postgres only} Requests of the last minute, which several processes count together, in the columns that
-- rate-limiter-flexible writes.
create unlogged table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);

-- ## Jobs, their reports and their executions

-- A verification task with a fixed intent. It belongs to an API key, or to the bearer of its token.
create table jobs (
  id text primary key,
  key_id text references api_keys (id),
  token_digest text unique, -- SHA-256 of the job token
  client_request_id text not null,
  request_hash text not null, -- of the intent, to tell a repeated request from another one under the same id
  intent text not null, -- JSON
  created_at bigint not null,
  expires_at bigint not null,
  last_version integer not null, -- of its newest report
  sold integer not null default 0, -- 1: it was paid for or executed, as retention found when it was old enough to go
  policy_version integer not null, -- of the intent's policy
  constraint jobs_client_request unique (key_id, client_request_id),
  constraint jobs_holder check (key_id is not null or token_digest is not null)
);
-- For retention, by what becomes of a job. By coalesce: SQLite takes the index of key_id for a plain "is null", and sorts
-- half the table.
create index jobs_age_one_shot on jobs (created_at) where sold = 0 and coalesce(key_id, '') = '';
create index jobs_age_of_keys on jobs (created_at) where sold = 0 and coalesce(key_id, '') <> '';
create index jobs_age_sold on jobs (created_at) where sold = 1;

create table reports (
  job_id text not null references jobs (id),
  version integer not null,
  kind text not null check (kind in ('initial', 'prepare')),
  decision text not null check (decision in ('ALLOW', 'DENY')),
  evidence_hash text not null,
  created_at bigint not null,
  body text not null, -- JSON
  execution text, -- what prepare-execution returned beside it, JSON; null: nothing was authorized
  deadline bigint, -- after it the prepared trade can no longer be executed
  sign_digest text, -- SHA-256 of the token by which /sign opens it; null: nothing was authorized
  proofs_hash text, -- a row of proofs; null: none
  samples_root text, -- a row of sample_batches; null: none
  constraint reports_key primary key (job_id, version)
);
create index reports_evidence on reports (evidence_hash);
create index reports_of_proofs on reports (proofs_hash) where proofs_hash is not null;
create unique index reports_of_sign_tokens on reports (sign_digest) where sign_digest is not null;
create index reports_of_samples on reports (samples_root) where samples_root is not null;

-- Proofs of state, once for all reports of a block that rest on the same; they go with the last report that names them.
create table proofs (
  hash text primary key, -- keccak256 of their canonical JSON
  body text not null -- as api/jobs/attachments.ts packs it
);

-- The samples behind liquidity grades; they go with the last report that names them.
create table sample_batches (
  root text primary key, -- keccak256 of the batch's canonical JSON
  asset_key text not null,
  body text not null -- as api/jobs/attachments.ts packs it
);

-- Transactions that were submitted for a job.
create table executions (
  id text primary key,
  job_id text not null references jobs (id),
  transaction_hash text not null,
  report_version integer,
  state text not null check (state in ('submitted', 'confirmed', 'reverted', 'mismatched', 'dropped')),
  confirmed text, -- JSON
  reason text,
  submitted_at bigint not null,
  next_look_at bigint, -- milliseconds; null: nothing can change any more
  key_id text, -- who submitted it; null: a job token
  constraint executions_transaction unique (job_id, transaction_hash)
);
create index executions_next_look on executions (next_look_at) where next_look_at is not null;
create index executions_newest on executions (submitted_at, next_look_at) where next_look_at is not null;
create index executions_of_transaction on executions (transaction_hash);
create index executions_of_key on executions (key_id) where state = 'submitted';

-- How far events were followed, by what is followed.
create table chain_cursors (
  name text primary key,
  block bigint not null -- the last one that was read
);

-- How many nonces were handed out for an owner.
create table owner_nonces (
  owner text primary key,
  next bigint not null
);

-- ## What anybody may read

-- Evidence of trades that the guard carried out, in a block that is final.
create table public_evidence (
  evidence_hash text primary key,
  job_id text not null references jobs (id),
  version integer not null
);
create index public_evidence_job on public_evidence (job_id);

-- Registries and policies that evidence names by hash, as canonical JSON: every one that was ever used. Rows are only ever
-- added.
create table definitions (
  hash text primary key, -- keccak256 of the body
  kind text not null,
  body text not null
);

-- ## Payments

-- What a job costs, frozen when it was made in the paid phase. A job without terms is free.
create table payment_terms (
  job_id text primary key references jobs (id),
  accepts text not null, -- the payment requirements to choose from, JSON
  created_at bigint not null
);

-- One authorization of a buyer's and what became of it.
create table payments (
  network text not null, -- CAIP-2, such as eip155:56
  asset text not null, -- the token
  payer text not null, -- the signer
  nonce text not null,
  job_id text not null references jobs (id),
  state text not null check (state in ('settling', 'settled', 'expired')),
  amount text not null, -- raw units, decimal
  pay_to text not null,
  valid_before bigint not null, -- block time from which on the token refuses the authorization
  payload text not null, -- what the buyer sent, JSON. Never shown, never logged
  requirements text not null, -- those that it fulfils, JSON
  unused_at_block bigint not null, -- at which the nonce was seen unused, before this row was written
  created_at bigint not null,
  attempts integer not null, -- how often it was sent to the facilitator
  attempt_until bigint not null, -- milliseconds: one attempt has it to itself so long; 0: none is under way
  next_look_at bigint not null, -- milliseconds
  fault text, -- our own name for what went wrong last
  transaction_hash text,
  block_number bigint,
  block_hash text,
  log_index integer, -- of the transfer that settled it, within its block
  settled_at bigint,
  released_at bigint, -- of the first answer with the report that was sent whole
  attempt_owner text, -- the process that has it (api/settings/processIdentity.ts); null: none, or not known
  -- One authorization is one payment, whatever it is presented for and however often.
  constraint payments_authorization primary key (network, asset, payer, nonce)
);
-- A job is paid for once: while one payment is under way or done, there is no room for another.
create unique index payments_of_job on payments (job_id) where state in ('settling', 'settled');
-- A transfer settles one payment.
create unique index payments_transfer on payments (network, transaction_hash, log_index) where state = 'settled';
create index payments_settling on payments (next_look_at) where state = 'settling';
-- To find what a payer has bought a moment ago.
create index payments_of_payer on payments (payer, created_at);
-- Payments are counted for the metrics from this index, without reading what buyers sent.
create index payments_by_state on payments (state, network, asset, created_at);
-- For retention: every job that goes is looked for in the first.
create index payments_job on payments (job_id);
create index payments_age_expired on payments (created_at) where state = 'expired';

-- Which purchase answers for another payment of the same payer for the same body.
create table body_purchases (
  payer text not null, -- of a contract wallet behind its network, as CAIP-10
  intent_hash text not null, -- as request_hash of the job
  identifier text not null, -- the buyer's own name for it; empty: none
  job_id text not null references jobs (id),
  created_at bigint not null,
  answers_until bigint not null, -- for payments without an identifier
  expires_at bigint not null, -- nobody else can take the row until then
  -- Two payments for the same at once: one of them gets the row, and the other is answered from it.
  constraint body_purchases_key primary key (payer, intent_hash, identifier)
);
create unique index body_purchases_identifier on body_purchases (payer, identifier) where identifier <> '';
create index body_purchases_of_job on body_purchases (job_id);

-- Bearer tokens of jobs that were bought without a key: one of each payment that was answered by it.
create table job_tokens (
  digest text primary key, -- SHA-256
  job_id text not null references jobs (id),
  created_at bigint not null -- milliseconds
);
create index job_tokens_of_job on job_tokens (job_id);

-- What operators pay back: one row a payment, from the proposal to the transfer that the chain has.
create table refunds (
  -- The payment, all of which is paid back.
  network text not null,
  asset text not null,
  payer text not null,
  nonce text not null,
  job_id text not null references jobs (id),
  state text not null check (state in ('proposed', 'confirmed')), -- confirmed: the chain has its transfer
  amount text not null, -- raw units, decimal: those of the payment
  sender text not null, -- whose transfer it is, or shall be
  from_block bigint not null, -- transfers of blocks before this one are none of it
  actor text not null, -- the operator
  reason text,
  created_at bigint not null,
  transaction_hash text,
  block_number bigint,
  log_index integer, -- of the transfer within its block
  confirmed_at bigint, -- when it was seen deep enough
  -- A payment is refunded once.
  constraint refunds_payment primary key (network, asset, payer, nonce),
  constraint refunds_of_payment foreign key (network, asset, payer, nonce)
    references payments (network, asset, payer, nonce)
);
-- A transfer is one refund.
create unique index refunds_transfer on refunds (network, transaction_hash, log_index) where state = 'confirmed';
create index refunds_of_job on refunds (job_id);

-- ## The market

-- Millions of hours and samples name their series and their origin: small numbers stand for the long texts.
create table series (
  id {numbered},
  name text not null unique, -- premium/<asset key> or basis/<venue>/<ticker>
  -- The last sample of the newest hour. Null: no hour, or the sample was no longer kept when the hour became the newest.
  latest_at bigint,
  latest_sample text
) {half full};
-- The order of their texts decides between samples of one second: it must not depend on the server's settings.
create table origins (
  id {numbered},
  source {ordered text} not null,
  session {ordered text} not null,
  reference_source {ordered text} not null, -- empty: no reference
  state {ordered text} not null, -- agreed, single, disputed; empty: no figure
  funding_state {ordered text} not null,
  halted smallint not null, -- 1: the token is paused, or the stock halted
  constraint origins_content unique (source, session, reference_source, state, funding_state, halted)
);

-- One hour of a series. Figures are whole numbers of ten-thousandths of a basis point. The key carries no figures, and
-- PostgreSQL's pages have room: an update of a running hour stays in its page (HOT).
create table hour_buckets (
  series_id integer not null,
  hour integer not null, -- unix seconds / 3600
  close bigint,
  lo bigint,
  hi bigint,
  net_edge bigint, -- of a premium
  close_second smallint not null, -- when in the hour the close was sampled
  origin_id integer not null,
  samples integer not null,
  reference_age integer, -- seconds
  witnesses smallint, -- sources that agree on the close
  funding_annual bigint, -- of a basis
  spread bigint, -- between the outermost witnesses that agree
  constraint hour_buckets_key primary key (series_id, hour)
) {clustered with room};

-- {sqlite only} What was sampled, whole, while it is kept.
create table raw_samples (
  series_id integer not null,
  sampled_at bigint not null,
  sample {ordered text} not null, -- a JSON list of what the series and the time do not say
  origin_id integer not null,
  -- What follows from the sample, as its hour has it.
  close bigint,
  net_edge bigint,
  funding_annual bigint,
  reference_age integer,
  witnesses smallint,
  spread bigint,
  constraint raw_samples_key primary key (series_id, sampled_at, sample)
) without rowid;
-- {postgres only} The same.
create table raw_samples (
  series_id integer not null,
  sampled_at bigint not null,
  sample {ordered text} not null, -- a JSON list of what the series and the time do not say
  origin_id integer not null,
  -- What follows from the sample, as its hour has it.
  close bigint,
  net_edge bigint,
  funding_annual bigint,
  reference_age integer,
  witnesses smallint,
  spread bigint
);
-- {postgres only} By a hash of the sample, so that it is not stored a second time in the index.
create unique index raw_samples_key on raw_samples (series_id, sampled_at, hashtextextended(sample, 0));

-- What a buy of a size costs.
create table impact_samples (
  asset_key text not null,
  sampled_at bigint not null,
  source text not null,
  session text not null,
  impact_1k_bps text, -- positive is adverse; null: there was no route
  impact_10k_bps text,
  constraint impact_samples_key primary key (asset_key, sampled_at, source)
) {clustered};

-- The last sample of volume and liquidity of an asset on a UTC day.
create table volume_days (
  day text not null, -- YYYY-MM-DD
  asset_key text not null,
  sampled_at bigint not null,
  source text not null,
  session text not null,
  volume_24h_usd text,
  liquidity_usd text,
  state text not null, -- agreed, single, disputed; empty: not known. A disputed figure is missing in the totals
  halted smallint not null, -- 1: counts in no total
  constraint volume_days_key primary key (day, asset_key)
) {clustered};

create table daily_totals (
  day text not null,
  scope text not null, -- all, issuer:<issuer> or chain:<chain>
  volume_usd text, -- null: a token that is expected has no figure
  liquidity_usd text,
  count integer not null,
  expected integer not null, -- tokens that should have counted
  late integer not null default 0, -- a sample of the day came after these totals were made
  constraint daily_totals_key primary key (day, scope)
) {clustered};

-- Samples that cannot be true, and why they were left out.
create table rejected_samples (
  rejected_at bigint not null,
  kind text not null,
  subject text not null, -- the asset key or ticker
  reason text not null,
  sample text not null, -- JSON
  constraint rejected_samples_key primary key (rejected_at, kind, subject, reason, sample)
) {clustered};

-- Spans of a series that count nowhere, retracted by an operator.
create table retractions (
  series text not null,
  from_second bigint not null, -- inclusive
  to_second bigint not null, -- exclusive
  reason text not null,
  actor text not null,
  retracted_at bigint not null,
  constraint retractions_key primary key (series, from_second, to_second)
);

-- Seven-day medians, as the last round of the collectors found them.
create table liquidity_scores (
  asset_key text primary key,
  sample_n integer not null,
  impact_1k_bps text,
  impact_10k_bps text,
  updated_at bigint, -- when the newest sample was taken
  source text
);

-- How requests to a provider ended in an hour.
create table provider_outcomes (
  hour integer not null, -- unix seconds / 3600
  provider text not null,
  kind text not null, -- ok, or what failed
  count integer not null,
  last_at bigint not null,
  constraint provider_outcomes_key primary key (hour, provider, kind)
);

-- How figures, listings and providers stand.
create table market_figures (
  kind text not null, -- premium, basis, listing or provider
  subject text not null, -- the asset key, venue/ticker or provider
  state text not null,
  since bigint not null,
  seen_at bigint not null,
  constraint market_figures_key primary key (kind, subject)
);

-- What sources announce of tokens: splits, dividends, migrations.
create table corporate_actions (
  id {numbered},
  asset_key text not null,
  kind text not null, -- split, dividend, multiplier, migration
  value_before text, -- shares per token; of a migration addresses
  value_after text,
  effective_at bigint, -- null: not told
  announced_at bigint, -- first read; null: it was in effect by then
  at bigint not null, -- when it takes effect, or was first read
  source text not null,
  raw_hash text
);
create index corporate_actions_time on corporate_actions (at, id);
-- What a source announces is stored once.
create unique index corporate_actions_key on corporate_actions
  (asset_key, source, coalesce(effective_at, 0), coalesce(value_after, ''));

create table market_state (
  name text primary key,
  value bigint not null
);
insert into market_state (name, value) values ('raw_cleared_before', 0);

-- ## The decision log

-- Its tree: one row, from when the log begins.
create table log_tree (
  id integer primary key check (id = 1),
  origin text not null, -- its name, the first line of its checkpoints
  size bigint not null, -- entries that have a place in the tree
  signed_size bigint not null, -- of the newest checkpoint; 0: there is none
  checkpoint text, -- the newest, as the log signed it
  signed_at bigint, -- milliseconds
  cosigned_size bigint not null, -- of the newest checkpoint that witnesses cosigned
  cosigned text,
  refused text, -- why it is signed and added to no more, for good: what was signed contradicts the tree
  created_at bigint not null, -- milliseconds
  constraint log_tree_signed check (signed_size <= size and cosigned_size <= signed_size)
);

-- Entries without a place in a tree yet, each stored with its report, or with the payment for it.
create table log_waiting (
  id {numbered},
  entry text not null, -- the leaf: canonical JSON
  evidence_key bigint not null -- the first 48 bits of the evidence's hash, to find the entry by
);

-- Entries of reports whose jobs must be paid for first: an entry is public, and names the decision.
create table log_withheld (
  job_id text primary key references jobs (id),
  entry text not null,
  evidence_key bigint not null
);

-- Entries that have their place. Rows are only ever added.
create table log_entries (
  position bigint primary key, -- the index of the leaf
  entry text not null,
  evidence_key bigint not null
) {clustered};
create index log_entries_evidence on log_entries (evidence_key);

-- Hashes of whole subtrees of 256 ** level leaves, as tiles have them. Rows are only ever added.
create table log_nodes (
  level integer not null,
  position bigint not null,
  hash text not null, -- base64
  constraint log_nodes_key primary key (level, position)
) {clustered};

-- ## The service itself

-- Which process does a work that one alone may do.
create table leases (
  name text primary key,
  holder text not null, -- empty: nobody
  epoch bigint not null, -- grows by one with each new holder
  expires_at_ms bigint not null, -- milliseconds; 0: it was given back
  renewed_at_ms bigint not null, -- milliseconds: when its last holder was heard of last; 0: it never had one
  fault text -- why a process that looked at it, while nobody had it, could not do the work; null: none said so
);
-- Makes the epoch a key, so that in PostgreSQL a new holder waits for what is written under the old one's epoch
-- (for key share), and a renewal, which leaves the epoch as it is, does not.
create unique index leases_epoch on leases (name, epoch);

-- One row that is written over and over, to see whether writing works.
create table write_probe (
  id integer primary key,
  written_at bigint not null, -- milliseconds
  filler text not null -- as much as a job takes, to detect a disk with room for less
);
insert into write_probe (id, written_at, filler) values (1, 0, '');

-- What each migration says of programs that do not know it.
create table migration_compatibility (
  migration text primary key,
  older_programs text not null check (older_programs in ('work', 'refused')),
  because text not null
);
