export interface AcceptedJob {
    readonly key: number;
    readonly type: string;
    readonly duplicate: boolean;
}

export interface ActivatedJob<V> {
    readonly key: number;
    readonly type: string;
    readonly variables: V;
    readonly attempt: number;
    readonly retries: number;
    readonly createdAt: Date;
    readonly deadlineAt: Date | null;
}

type ActivityBy = 'type' | 'outcome' | 'minute';

interface ActivityQuery {
    since: number;
    by: ActivityBy;
    types?: readonly string[];
}

export interface Advice {
    args: readonly string[];
    why: string;
}

interface AgainOptions {
    retries?: number;
    set?: readonly VariableChange[];
    newEffects?: boolean;
}

export type AnyHandler = Handler<unknown, unknown>;

export interface Applied {
    jobKey: number;
    status: 'changed' | 'skipped' | 'failed' | 'not_found';
    from: JobState | null;
    to: JobState | null;
    why: string;
}

interface AttemptRecord {
    jobKey: number;
    attempt: number;
    workerId: string;
    startedAt: number;
    finishedAt: number;
    outcome: OutcomeKind | 'stale';
    error: ErrorRecord | null;
    failureCategory: FailureCategory | null;
    nonRetryable: boolean;
    backoffMs: number | null;
    nextRunAt: number | null;
}

interface AttemptTotal {
    group: string;
    outcome: OutcomeKind;
    bucket: number;
    count: number;
}

export type BackoffOption = {
    strategy: 'exponential';
    base?: number | string;
    factor?: number;
    max?: number | string;
    jitter?: number;
} | {
    strategy: 'quadratic';
    base?: number | string;
    max?: number | string;
    jitter?: number;
} | {
    strategy: 'list';
    delays: readonly (number | string)[];
    max?: number | string;
    jitter?: number;
} | {
    strategy: 'fixed';
    delay: number | string;
    max?: number | string;
    jitter?: number;
};

interface BreakerCounts {
    readonly requests: number;
    readonly successes: number;
    readonly failures: number;
    readonly exclusions: number;
    readonly consecutiveSuccesses: number;
    readonly consecutiveFailures: number;
}

interface BreakerImage {
    of: 'breaker';
    before: {
        mode: 'closed' | 'half_open' | 'open';
        by: 'calls' | 'operator';
        expiresAt: number | null;
    } | null;
    generation: number;
}

type BreakerMode = 'closed' | 'half_open' | 'open';

export interface BreakerOption {
    failures?: number;
    shouldTrip?: (counts: BreakerCounts) => boolean;
    interval?: Duration;
    openFor?: Duration;
    probes?: number;
    isSuccessful?: (error: unknown) => boolean | undefined;
    isExcluded?: (error: unknown) => boolean | undefined;
    shared?: boolean;
    hold?: boolean;
}

interface BreakerPermit {
    readonly permit: number;
    readonly holder: string;
    readonly expiresAt: number;
}

interface BreakerState {
    readonly mode: BreakerMode;
    readonly generation: number;
    readonly counts: BreakerCounts;
    readonly by: 'calls' | 'operator';
    readonly changedAt: number;
    readonly expiresAt: number | null;
    readonly probes: readonly BreakerPermit[];
}

interface BreakerTerms {
    readonly openForMs: number;
    readonly probes: number;
}

export interface BreakersControl {
    breakers(): Promise<readonly InspectedBreaker[]>;
    breaker(name: string): Promise<InspectedBreaker | null>;
    history(name: string, options?: {
        limit?: number;
        since?: Date;
    }): Promise<readonly HistoryRow[]>;
    trip(name: string, options: TripOptions): Promise<Steered>;
    close(name: string, options?: Reason): Promise<Steered>;
}

export declare class BusinessError extends HandlerError {
    readonly name = "BusinessError";
    readonly code: string;
    constructor(code: string, message?: string, options?: ErrorOptions);
}

interface CallersConnection {
    readonly name: string;
    readonly memory: boolean;
    readonly inTransaction: boolean;
    prepare(source: string): object;
    pragma(source: string, options?: {
        simple?: boolean;
    }): unknown;
}

interface Cause {
    fingerprint: string;
    type: string;
    kind: IncidentKind;
    kinds: readonly {
        kind: IncidentKind;
        count: number;
    }[];
    code: string | null;
    name: string;
    message: string;
    count: number;
    firstAt: number;
    lastAt: number;
    seenAt: number;
    recent: {
        last: number;
        before: number;
    };
    sampleKeys: readonly number[];
}

interface CauseVariables {
    members: readonly string[];
    others: readonly string[];
}

export interface ChangeOptions {
    reason?: string;
    rate?: string;
    signal?: AbortSignal;
    dryRun?: boolean;
}

export type ChildOptions = Omit<EnqueueInput, 'type' | 'variables' | 'parentKey'> & {
    when?: 'success' | 'stopped';
};

export interface Client extends Control {
    enqueue(type: string, variables?: object, options?: EnqueueOptions): Promise<JobHandle>;
    enqueueMany(items: readonly EnqueueItem[]): Promise<readonly EnqueueManyResult[]>;
    enqueueIn(connection: CallersConnection, type: string, variables?: object, options?: EnqueueOptions): AcceptedJob;
    wait(key: number, options?: ClientWait): Promise<JobEnd>;
    readonly jobs: Pick<Inspector, 'jobs' | 'job'>;
    readonly incidents: Pick<Inspector, 'incidents'>;
    readonly deadLetters: Pick<Inspector, 'deadLetters' | 'deadLetter'>;
    resolve(keys: number | readonly number[], options?: ResolveOptions): Promise<readonly Applied[]>;
    resolveVerified(keys: number | readonly number[], options: VerifyOptions): Promise<VerifiedResolution>;
    retry(keys: number | readonly number[], options?: ResolveOptions): Promise<readonly Applied[]>;
    cancel(keys: number | readonly number[], options?: ChangeOptions): Promise<readonly Applied[]>;
    discard(keys: number | readonly number[], options?: ChangeOptions): Promise<readonly Applied[]>;
    purge(keys: number | readonly number[], options?: PurgeOptions): Promise<readonly Applied[]>;
    update(keys: number | readonly number[], options: UpdateOptions): Promise<readonly Applied[]>;
    readonly operations: Pick<StoreReader, 'operations' | 'operation' | 'operationTargets'>;
    undo(operation: number, options?: UndoOptions): Promise<readonly Undone[]>;
    causes(selector?: Selector, limit?: number): Promise<readonly InspectedCause[]>;
    explain(key: number): Promise<Explanation | null>;
    close(): Promise<void>;
}

export interface ClientOptions {
    store?: string;
    durability?: Durability;
    create?: boolean;
    who?: string;
}

export interface ClientWait {
    timeout?: number | string;
    signal?: AbortSignal;
}

interface CommonVariable {
    path: string;
    value: Scalar;
    share: number;
    shareOfOthers: number;
}

interface Control {
    readonly types: TypesControl;
    readonly breakers: BreakersControl;
    readonly workers: WorkersControl;
    readonly steps: StepsControl;
}

interface CounterDelta {
    metric: string;
    labels: string;
    value: number;
}

interface DatedMark {
    from: number;
    seen: readonly string[];
}

interface DeadLetter {
    jobKey: number;
    type: string;
    processInstanceKey: number;
    reason: DeadLetterReason;
    errorName: string | null;
    errorCode: string | null;
    errorMessage: string;
    receivedAt: number;
    count: number;
    closedAt: number | null;
    closedBy: string | null;
    resolution: string | null;
    closeReason: string | null;
}

type DeadLetterReason = 'poison' | 'exhausted';

export declare class DeferError extends HandlerError {
    readonly name: string;
    readonly delayMs: number | null;
    readonly at: number | null;
    constructor(message: string, when: {
        in: number | string;
    } | {
        at: number | Date;
    }, options?: ErrorOptions);
}

type DeferredBy = 'handler' | 'breaker' | 'bulkhead' | 'retry_after' | 'pause';

export type DependencyCall<T> = (signal: AbortSignal) => PromiseLike<T> | T;

export interface DependencyOption {
    timeout?: Duration;
    retry?: RetryOption;
    breaker?: BreakerOption;
    bulkhead?: number | {
        limit: number;
        wait?: Duration;
    };
}

export interface DrainOptions extends Reason {
    wait?: number | string;
    signal?: AbortSignal;
}

export interface DrainedWorkers {
    readonly operation: number | null;
    readonly asked: readonly string[];
    readonly left: readonly string[] | null;
}

type Durability = 'power' | 'process';

export type Duration = number | string;

type Duration = number | string;

interface EffectsFact {
    epoch: number;
    steps: readonly string[];
}

export interface EmbeddedWorker {
    readonly lost: Promise<WfError>;
    drain(graceMs?: number): Promise<void>;
    stop(): Promise<void>;
}

interface EnqueueInput {
    type: string;
    variables?: object;
    priority?: number;
    delay?: number | string;
    at?: number | Date;
    retries?: number;
    idempotencyKey?: string;
    deadline?: number | string | Date;
    parentKey?: number;
}

export type EnqueueItem = EnqueueInput;

export type EnqueueManyResult = {
    readonly status: 'accepted';
    readonly job: JobHandle;
} | {
    readonly status: 'refused';
    readonly error: WfError;
};

export type EnqueueOptions = Omit<EnqueueInput, 'type' | 'variables'>;

export type ErrorCode = 'usage' | 'invalid_job' | 'invalid_handler' | 'invalid_config' | 'refused' | 'not_found' | 'conflict' | 'idempotency_conflict' | 'backlog_full' | 'store_missing' | 'store_replaced' | 'store_locked' | 'store_corrupt' | 'store_full' | 'store_read_only' | 'store_unavailable'
 | 'outcome_unknown' | 'schema_newer' | 'schema_older' | 'handler_load_failed' | 'partly_done' | 'wait_timeout'
 | 'failed_again'
 | 'not_verified' | 'job_not_successful' | 'unexpected';

type ErrorMatch = {
    text: string;
} | {
    pattern: string;
    ignoreCase?: boolean;
};

interface ErrorOptions {
    cause?: unknown;
}

interface ErrorRecord {
    name: string;
    message: string;
    code: string | null;
    stack: string | null;
    causes: readonly {
        name: string;
        message: string;
        code: string | null;
    }[];
    truncated: boolean;
}

interface ExpiredLease {
    job: Job;
    reason: 'lease_expired' | 'run_until_passed';
}

export interface Explanation {
    why: readonly string[];
    next: readonly string[];
    at: number | null;
    commands: readonly Advice[];
}

interface FactSets {
    jobs?: readonly number[];
    variables?: readonly number[];
    incidents?: readonly number[];
    deadLetters?: readonly number[];
    effects?: readonly number[];
    types?: readonly string[];
    breakers?: readonly string[];
    workers?: readonly string[];
    operations?: readonly number[];
    targets?: readonly TargetKey[];
}

interface Facts {
    readonly jobs: ReadonlyMap<number, Job>;
    readonly variables: ReadonlyMap<number, string>;
    readonly incidents: ReadonlyMap<number, readonly IncidentFact[]>;
    readonly deadLetters: ReadonlyMap<number, DeadLetter>;
    readonly effects: ReadonlyMap<number, EffectsFact>;
    readonly types: ReadonlyMap<string, TypeFact>;
    readonly breakers: ReadonlyMap<string, NamedBreaker>;
    readonly workers: ReadonlyMap<string, WorkerView>;
    readonly operations: ReadonlyMap<number, Operation>;
    readonly targets: ReadonlyMap<string, OperationTarget>;
    readonly operationIds: readonly number[];
}

interface FactsRequest extends FactSets {
    operationIds?: number;
}

type FailureCategory = 'error' | 'timeout' | 'hung';

interface Feed {
    events: readonly FeedEvent[];
    position: FeedPosition;
    more: boolean;
}

interface FeedEvent {
    at: number;
    kind: FeedEventKind;
    type: string | null;
    jobKey: number | null;
    count: number;
    what: string | null;
    detail: string | null;
    who: string | null;
}

type FeedEventKind = (typeof feedEventKinds)[number];

interface FeedPosition {
    job: number;
    incident: number;
    history: number;
    operation: number;
    open: readonly number[];
    attempts: DatedMark;
    letters: DatedMark;
}

interface Fence {
    jobKey: number;
    attempt: number;
    workerId: string;
}

export interface Handler<V = Record<string, unknown>, R = unknown> {
    type: string;
    run(job: ActivatedJob<V>, ctx: HandlerContext): Promise<R> | R;
    variables?: StandardSchemaV1<unknown, V>;
    retries?: number;
    backoff?: BackoffOption;
    onExhausted?: 'incident' | 'dead-letter';
    businessErrors?: readonly string[];
    timeout?: Duration;
    concurrency?: number;
    maxJobsActivated?: number;
    backlogLimit?: number;
    fetchVariables?: readonly string[];
    dependencies?: Readonly<Record<string, DependencyOption>>;
}

export interface HandlerContext {
    readonly signal: AbortSignal;
    timeLeftMs(): number;
    readonly attempt: number;
    readonly idempotencyKey: string;
    readonly log: Logger;
    call<T>(dependency: string, fn: DependencyCall<T>): Promise<T>;
    once<T>(step: string, fn: () => PromiseLike<T> | T, options?: OnceOptions<T>): Promise<T>;
    optional<T>(feature: string, fn: DependencyCall<T>): Promise<T | undefined>;
    progress(fraction: number, note?: string): void;
    enqueue(type: string, variables: object, options?: ChildOptions): void;
}

declare abstract class HandlerError extends Error {
    constructor(kind: HandlerErrorKind, message: string, options?: ErrorOptions);
}

type HandlerErrorKind = 'business' | 'defer' | 'retry' | 'incident' | 'non_retryable' | 'poison';

interface Held {
    by: 'paused' | 'no_worker' | 'breaker';
    why: string;
}

interface HistoryRow {
    id: number;
    jobKey: number | null;
    at: number;
    event: string;
    who: string;
    reason: string | null;
    detail: string | null;
}

interface Incident {
    id: number;
    jobKey: number;
    type: string;
    kind: IncidentKind;
    error: ErrorRecord;
    fingerprint: string;
    attempt: number;
    createdAt: number;
    resolvedAt: number | null;
    resolvedBy: string | null;
    resolution: string | null;
    reason: string | null;
}

export declare class IncidentError extends HandlerError {
    readonly name: string;
    constructor(message: string, options?: ErrorOptions, kind?: 'incident' | 'non_retryable');
}

type IncidentFact = Pick<Incident, 'id' | 'resolvedAt'>;

export type IncidentKind = 'job_no_retries' | 'raised' | 'non_retryable' | 'poison_message' | 'unhandled_business_error' | 'deferred_too_long' | 'crash_loop' | 'result_invalid' | 'deadline_exceeded'
 | 'settlement_refused';

interface IncidentView extends Incident {
    job: Job;
}

interface InspectedBreaker extends NamedBreaker {
    mode: BreakerMode;
    ageMs: number;
    retryInMs: number;
    types: readonly string[];
}

export interface InspectedCause extends Cause {
    trend: Trend;
    programStartedAt: number | null;
    isNew: boolean | null;
    common: readonly CommonVariable[];
    compared: {
        members: number;
        others: number;
    };
}

interface InspectedDeadLetter extends DeadLetter {
    ageMs: number;
}

interface InspectedDetail extends Omit<JobDetail, 'job'> {
    job: InspectedJob;
    openIncident: Incident | null;
    nextSteps: readonly NextStep[];
}

interface InspectedIncident extends Omit<IncidentView, 'job'> {
    job: InspectedJob;
    ageMs: number;
}

interface InspectedJob extends Job {
    ageMs: number;
    dueInMs: number | null;
    runningMs: number | null;
    held: Held | null;
    suspect: boolean;
}

interface InspectedType extends TypeView {
    oldestDueMs: number | null;
    unfinished: number;
    held: Held | null;
}

interface InspectedWorker extends WorkerView {
    alive: boolean;
    leaseLeftMs: number;
    upMs: number;
}

interface Inspector {
    info(): Promise<StoreInfo>;
    job(key: number): Promise<InspectedDetail | null>;
    jobs(selector: Selector, page: Page): Promise<Paged<InspectedJob>>;
    incidents(selector: Selector, page: Page): Promise<Paged<InspectedIncident>>;
    deadLetters(selector: Selector, page: Page): Promise<Paged<InspectedDeadLetter>>;
    deadLetter(key: number): Promise<(InspectedDeadLetter & StoredLetter) | null>;
    workers(): Promise<readonly InspectedWorker[]>;
    types(): Promise<readonly InspectedType[]>;
    counts(): Promise<Readonly<Partial<Record<JobState, number>>>>;
}

interface Job {
    key: number;
    type: string;
    state: JobState;
    waitReason: WaitReason | null;
    priority: number;
    runAt: number;
    retries: number;
    retriesGiven: boolean;
    enqueuedRetries: number;
    attempt: number;
    failures: number;
    crashes: number;
    deferrals: number;
    deferringSince: number | null;
    workerId: string | null;
    startedAt: number | null;
    runUntil: number | null;
    deadlineAt: number | null;
    createdAt: number;
    finishedAt: number | null;
    parentKey: number | null;
}

interface JobChangeImage {
    of: 'job';
    attempt: number;
    before: JobImage;
    after: JobImage;
    variables?: {
        before: string;
        afterHash: string;
    };
    incident: number | null;
    deadLetterAt: number | null;
    newEffects?: {
        forgotten: readonly string[];
        epoch: number;
    };
}

interface JobDetail {
    job: Job;
    variables: string;
    result: string | null;
    attempts: readonly AttemptRecord[];
    incidents: readonly Incident[];
    deadLetter: DeadLetter | null;
    history: readonly HistoryRow[];
    progress: {
        fraction: number;
        note: string | null;
        at: number;
    } | null;
    idempotencyKey: string | null;
    children: readonly number[];
    steps: readonly Step[];
    effectsEpoch: number;
}

export interface JobEnd {
    readonly key: number;
    readonly type: string;
    readonly state: 'completed' | 'rejected' | 'cancelled' | 'failed' | 'dead';
    readonly result?: unknown;
    readonly error?: {
        readonly name: string;
        readonly message: string;
        readonly code: string | null;
    };
    readonly incident?: IncidentKind;
}

export interface JobHandle extends AcceptedJob {
    wait(options?: ClientWait): Promise<JobEnd>;
}

type JobImage = Pick<Job, (typeof imageFields)[number]>;

export type JobState = 'available' | 'waiting' | 'running' | 'completed' | 'rejected' | 'failed' | 'dead' | 'cancelled';

interface ListedStep extends Omit<Step, 'result'> {
    type: string;
    jobState: JobState;
    unknown: boolean;
}

interface LocalBreaker extends Pick<NamedBreaker, 'name' | 'mode' | 'generation' | 'changedAt' | 'expiresAt'> {
    readonly types: readonly string[];
}

type LogFields = Record<string, unknown>;

export interface Logger {
    debug(message: string, fields?: LogFields): void;
    info(message: string, fields?: LogFields): void;
    warn(message: string, fields?: LogFields): void;
    error(message: string, fields?: LogFields): void;
    child(fields: LogFields): Logger;
}

interface NamedBreaker extends BreakerState {
    readonly name: string;
    readonly terms: BreakerTerms;
    readonly who: string;
    readonly reason: string | null;
}

interface NewOperation {
    verb: OperationVerb;
    who: string;
    selector: string;
    reason: string | null;
    flags: Readonly<Record<string, unknown>>;
    matched: number;
    undoes?: number;
}

interface NewTarget extends TargetName {
    status: TargetStatus;
    why: string;
    image: TargetImage | null;
}

interface NextStep {
    verb: ResolutionVerb;
    why: string;
}

export declare class NonRetryableError extends IncidentError {
    readonly name = "NonRetryableError";
    constructor(message: string, options?: ErrorOptions);
}

export interface OnceOptions<T> {
    verify?: () => PromiseLike<T | undefined> | T | undefined;
}

export interface Operation extends Omit<NewOperation, 'undoes'> {
    id: number;
    at: number;
    changed: number;
    skipped: number;
    failed: number;
    finishedAt: number | null;
    touchedAt: number;
    undoes: number | null;
    undoneBy: number | null;
    undone: number;
}

interface OperationFilter {
    who?: string;
    verbs?: readonly OperationVerb[];
    since?: number;
    undoable?: boolean;
}

export interface OperationTarget extends NewTarget {
    undoneBy: number | null;
}

type OperationVerb = (typeof operationVerbs)[number];

type Outcome = {
    kind: 'success';
    result?: string;
}
 | {
    kind: 'fail';
    error: ErrorRecord;
    category: FailureCategory;
    delayMs?: number;
}
 | {
    kind: 'defer';
    until: number;
    reason: string;
    by: DeferredBy;
    failure?: ErrorRecord;
} | {
    kind: 'incident';
    incident: 'raised' | 'non_retryable';
    error: ErrorRecord;
} | {
    kind: 'poison';
    error: ErrorRecord;
} | {
    kind: 'business_error';
    code: string;
    message: string;
    declared: boolean;
    error: ErrorRecord;
}
 | {
    kind: 'interrupted';
    reason: string;
}
 | {
    kind: 'lost';
    reason: 'lease_expired' | 'worker_died' | 'run_until_passed' | 'released';
    detail: string;
}
 | {
    kind: 'result_invalid';
    error: ErrorRecord;
};

type OutcomeKind = Outcome['kind'];

interface Page {
    limit: number;
    cursor?: string;
    sort?: string;
    reverse?: boolean;
}

interface Paged<T> {
    items: readonly T[];
    next: string | null;
    looked?: number;
}

interface Part<R> {
    results: readonly R[];
    cause: unknown;
    done: string;
    hint: string;
}

export declare class PartlyChangedError extends PartlyDoneError<Applied> {
}

declare class PartlyDoneError<R> extends WfError {
    readonly results: readonly R[];
    constructor({ results, cause, done, hint }: Part<R>);
}

export declare class PartlyEnqueuedError extends PartlyDoneError<EnqueueManyResult> {
}

interface PauseImage {
    pausedAt: number | null;
    pausedBy: string | null;
    pauseReason: string | null;
    pausedUntil: number | null;
    badStreak: number;
}

export interface PauseOptions extends Reason {
    until?: Date | number | string;
}

interface PausedType {
    type: string;
    since: number;
    untilAt: number | null;
    by: string;
    reason: string | null;
}

export declare class PoisonError extends HandlerError {
    readonly name = "PoisonError";
    constructor(message: string, options?: ErrorOptions);
}

export interface PurgeOptions extends ChangeOptions {
    open?: boolean;
}

interface Reason {
    reason?: string;
}

export interface ReleaseOptions extends Reason {
    force?: boolean;
}

interface Released {
    id: string;
    status: 'changed' | 'skipped' | 'failed' | 'not_found';
    why: string;
    jobs: readonly number[];
}

export interface ReleasedWorkers {
    readonly operation: number | null;
    readonly workers: readonly Released[];
}

type ResolutionVerb = 'resolve' | 'retry' | 'dlq_retry' | 'cancel' | 'discard' | 'update';

export interface ResolveOptions extends AgainOptions, ChangeOptions {
}

export declare class RetryError extends HandlerError {
    readonly name = "RetryError";
    readonly delayMs: number | null;
    constructor(cause: unknown, when?: {
        in?: number | string;
    });
}

export interface RetryOption {
    attempts?: number;
    delay?: Duration;
    factor?: number;
    max?: Duration;
    jitter?: number;
    isTransient?: (error: unknown) => boolean | undefined;
}

type Scalar = string | number | boolean | null;

interface SchemaIssue {
    readonly message: string;
    readonly path?: readonly (PropertyKey | {
        readonly key: PropertyKey;
    })[] | undefined;
}

type SchemaResult<Output> = {
    readonly value: Output;
    readonly issues?: undefined;
} | {
    readonly issues: readonly SchemaIssue[];
};

export interface Selector {
    keys?: readonly number[];
    types?: readonly string[];
    states?: readonly JobState[];
    incidentKinds?: readonly IncidentKind[];
    deadLetterReasons?: readonly DeadLetterReason[];
    error?: ErrorMatch;
    codes?: readonly string[];
    fingerprints?: readonly string[];
    since?: number;
    until?: number;
    where?: readonly WhereCondition[];
    workerId?: string;
    includeClosed?: boolean;
}

export interface StandardSchemaV1<Input = unknown, Output = Input> {
    readonly '~standard': {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
        readonly types?: {
            readonly input: Input;
            readonly output: Output;
        } | undefined;
    };
}

export interface StartWorkerOptions {
    handlers: readonly AnyHandler[];
    store?: string;
    durability?: Durability;
    create?: boolean;
    concurrency?: number;
    name?: string;
    log?: Logger;
}

interface StatDelta {
    minute: number;
    type: string;
    outcome: string;
    bucket: number;
    count: number;
    sumMs: number;
}

interface Steered {
    breaker: NamedBreaker | null;
    changed: boolean;
    operation: number | null;
}

interface Step {
    jobKey: number;
    step: string;
    attempt: number;
    intentAt: number;
    completedAt: number | null;
    result: string | null;
    unknowns: number;
}

interface StepFilter {
    jobKeys?: readonly number[];
    types?: readonly string[];
    unknown?: boolean;
}

export interface StepsControl {
    steps(filter?: StepFilter, page?: Page): Promise<Paged<ListedStep>>;
    forget(key: number, steps: string | readonly string[], options?: Reason): Promise<readonly string[]>;
}

interface StopTotal {
    group: string;
    incidents: number;
    deadLetters: number;
}

interface StoreInfo {
    location: string;
    storeId: string;
    schemaVersion: number;
    engineVersion: string;
}

interface StoreReader {
    info(): Promise<StoreInfo>;
    job(key: number): Promise<JobDetail | null>;
    facts(request: FactsRequest): Promise<Facts>;
    jobs(selector: Selector, page: Page): Promise<Paged<Job>>;
    incidents(selector: Selector, page: Page): Promise<Paged<IncidentView>>;
    deadLetters(selector: Selector, page: Page): Promise<Paged<DeadLetter>>;
    deadLetter(key: number): Promise<StoredLetter | null>;
    tally(list: 'incidents' | 'dlq', selector: Selector, page?: Omit<Page, 'limit'>): Promise<number | null>;
    workers(now: number): Promise<readonly WorkerView[]>;
    types(now: number): Promise<readonly TypeView[]>;
    pausedTypes(now: number): Promise<readonly PausedType[]>;
    counts(): Promise<Readonly<Partial<Record<JobState, number>>>>;
    hasDue(types: readonly string[], suspects: boolean, now: number): Promise<boolean>;
    hasPending(types: readonly string[], now: number): Promise<boolean>;
    nextDue(types: readonly string[]): Promise<number | null>;
    held(workerId: string): Promise<readonly Fence[]>;
    running(workerId: string): Promise<readonly Job[]>;
    expiredLeases(now: number, limit: number): Promise<readonly ExpiredLease[]>;
    overdue(now: number, limit: number): Promise<readonly Job[]>;
    history(limit: number): Promise<readonly HistoryRow[]>;
    breakers(): Promise<readonly NamedBreaker[]>;
    breaker(name: string): Promise<NamedBreaker | null>;
    breakerHistory(name: string, limit: number, since?: number): Promise<readonly HistoryRow[]>;
    allSteps(filter: StepFilter, page: Page): Promise<Paged<ListedStep>>;
    operations(filter: OperationFilter, page: Page): Promise<Paged<Operation>>;
    operation(id: number): Promise<Operation | null>;
    operationTargets(id: number, page: Page, undoable?: boolean): Promise<Paged<OperationTarget>>;
    causes(selector: Selector, now: number): Promise<readonly Cause[]>;
    causeVariables(cause: Pick<Cause, 'fingerprint' | 'type' | 'sampleKeys'>): Promise<CauseVariables>;
    attemptTotals(query: ActivityQuery): Promise<readonly AttemptTotal[]>;
    stopTotals(query: ActivityQuery): Promise<readonly StopTotal[]>;
    waitingTotals(): Promise<readonly WaitingTotal[]>;
    feedPositionAt(since: number): Promise<FeedPosition>;
    feedSince(position: FeedPosition, limit: number, now: number): Promise<Feed>;
    stats(sinceMinute: number): Promise<readonly StatDelta[]>;
    counters(): Promise<readonly CounterDelta[]>;
    version(): Promise<number>;
    close(): Promise<void>;
}

interface StoredLetter extends DeadLetter {
    variables: string;
    error: ErrorRecord;
}

type TargetImage = JobChangeImage | TypeImage | BreakerImage;

type TargetKey = TargetName & {
    operation: number;
};

interface TargetName {
    jobKey: number;
    name: string;
}

type TargetStatus = 'pending' | 'changed' | 'skipped' | 'failed' | 'not_found';

type Trend = 'rising' | 'steady' | 'falling';

export interface TripOptions extends Reason {
    for: number | string;
}

interface TypeDeclaration {
    type: string;
    timeoutMs: number;
    concurrency: number;
    retries: number;
    backlogLimit: number | null;
    onExhausted: 'incident' | 'dead-letter';
    breakers?: readonly string[];
}

interface TypeFact extends PauseImage {
    resumedAt: number | null;
    resumedStarts: number;
}

interface TypeImage {
    of: 'type';
    before: PauseImage;
    after: PauseImage;
}

interface TypeView {
    type: string;
    declaration: TypeDeclaration | null;
    pausedAt: number | null;
    pausedUntil: number | null;
    pausedBy: string | null;
    pauseReason: string | null;
    badStreak: number;
    counts: Partial<Record<JobState, number>>;
    oldestDueAt: number | null;
    workers: number;
}

export interface TypesControl extends Pick<Inspector, 'types'> {
    pause(types: string | readonly string[], options?: PauseOptions): Promise<readonly string[]>;
    resume(types: string | readonly string[], options?: Reason): Promise<readonly string[]>;
}

export type UndoOptions = Omit<ChangeOptions, 'rate'>;

export interface Undone extends TargetName {
    status: 'changed' | 'skipped' | 'failed' | 'not_found';
    why: string;
    partly: boolean;
}

export interface UpdateOptions extends ChangeOptions {
    retries?: number;
    priority?: number;
    at?: Date;
}

export interface VariableChange {
    path: string;
    value: unknown;
    isBareText?: boolean;
    remove?: boolean;
    add: boolean;
}

export type Verdict = {
    status: 'completed';
}
 | {
    status: 'rejected';
}
 | {
    status: 'gone';
}
 | {
    status: 'failed';
    isSameCause: boolean;
    fingerprint: string;
    error: ErrorRecord | null;
};

interface Verification {
    ended: 'all' | 'early' | 'held' | 'timeout' | 'interrupted';
    seen: readonly {
        target: Watched;
        verdict: Verdict;
    }[];
    unfinished: readonly {
        target: Watched;
        held: Held | null;
    }[];
    tookMs: number;
}

export interface VerifiedResolution {
    readonly operation: number | null;
    readonly applied: readonly Applied[];
    readonly canaries: readonly number[] | null;
    readonly hasGoneOn: boolean;
    readonly ended: Verification['ended'];
    readonly isProven: boolean;
    readonly seen: readonly {
        readonly key: number;
        readonly verdict: Verdict;
    }[];
    readonly unfinished: readonly {
        readonly key: number;
        readonly held: Held | null;
    }[];
}

export interface VerifyOptions extends Omit<ResolveOptions, 'dryRun'> {
    verify: number | string;
    canary?: number;
    signal?: AbortSignal;
}

export type WaitReason = 'delay' | 'backoff' | 'deferred';

interface WaitingTotal {
    type: string;
    reason: WaitReason;
    count: number;
}

interface Watched {
    jobKey: number;
    type: string;
    kind: IncidentKind;
    fingerprint: string;
    attempt: number;
}

export declare class WfError extends Error {
    readonly name = "WfError";
    readonly code: ErrorCode;
    readonly hint: string;
    constructor(code: ErrorCode, message: string, options?: {
        hint?: string;
        cause?: unknown;
    });
}

interface WhereCondition {
    path: string;
    value: unknown;
}

interface WorkerRow {
    id: string;
    label: string;
    pid: number;
    host: string;
    startedAt: number;
    leaseUntil: number;
    state: 'running' | 'draining';
    concurrency: number;
    types: readonly string[];
    quarantine: boolean;
}

interface WorkerView extends WorkerRow {
    running: number;
    breakers?: readonly LocalBreaker[];
}

export interface WorkersControl extends Pick<Inspector, 'workers'> {
    drain(workers: string | readonly string[], options?: DrainOptions): Promise<DrainedWorkers>;
    release(workers: string | readonly string[], options?: ReleaseOptions): Promise<ReleasedWorkers>;
}

export declare function defineHandler<V = Record<string, unknown>, R = unknown>(handler: Handler<V, R>): Handler<V, R>;

declare const feedEventKinds: readonly ['enqueued', 'completed', 'attempt', 'incident', 'dead_letter', 'operation', 'change'];

declare const imageFields: readonly ["state", "waitReason", "priority", "runAt", "retries", "retriesGiven", "failures", "crashes", "deferrals", "deferringSince", "deadlineAt", "finishedAt"];

export declare function normaliseMessage(message: string): string;

export declare function openClient(options?: ClientOptions): Promise<Client>;

declare const operationVerbs: readonly ["resolve", "retry", "dlq_retry", "cancel", "discard", "purge", "update", "pause", "resume", "trip", "close", "forget", "release", "drain", "undo", "reveal"];

export declare function startWorker(options: StartWorkerOptions): Promise<EmbeddedWorker>;
