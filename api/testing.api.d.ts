type AbortKind = 'timeout' | 'shutdown' | 'cancelled' | 'lease_lost';

type BegunStep = {
    result: string;
} | {
    intent: 'new' | 'unknown' | 'stale';
};

interface BreakerTurn {
    breaker: string;
    from: 'closed' | 'half_open' | 'open';
    to: 'closed' | 'half_open' | 'open';
    generation: number;
    by: 'calls' | 'operator';
    untilAt?: number;
}

type Cancel = () => void;

interface ChangedRows {
    jobs: JobImage & {
        key: number;
    };
    variables: {
        jobKey: number;
        text: string;
    };
    effectsEpochs: {
        jobKey: number;
        epoch: number;
    };
    removedSteps: {
        jobKey: number;
        step: string | null;
    };
    openedIncidents: {
        jobKey: number;
        type: string;
        attempt: number;
        incident: NewIncident;
        at: number;
    };
    closedIncidents: Closing;
    reopenedIncidents: number;
    closedDeadLetters: Closing;
    reopenedDeadLetters: number;
    removedDeadLetters: number;
    declaredTypes: TypeDeclaration & {
        at: number;
    };
    pauses: PauseImage & {
        type: string;
    };
    ramps: {
        type: string;
        at: number;
        started: number;
    };
    rampStarts: {
        type: string;
        count: number;
    };
    badStreaks: {
        type: string;
        badStreak: number;
    };
    breakers: NamedBreaker;
    workers: WorkerRow;
    workerStates: {
        id: string;
        state: WorkerRow['state'];
    };
    workerBreakers: {
        id: string;
        breakers: readonly LocalBreaker[];
    };
    retiredWorkers: string;
    operations: NewOperation & {
        id: number;
        at: number;
    };
    targets: NewTarget & {
        operation: number;
        at: number;
    };
    undoneTargets: TargetName & {
        operation: number;
        by: number;
    };
    endedOperations: {
        id: number;
        at: number;
    };
    undoneOperations: {
        id: number;
        by: number;
        hasChanged: boolean;
    };
    history: NewHistoryRow;
}

type Changes = {
    readonly [K in keyof ChangedRows]?: readonly ChangedRows[K][];
};

interface ChildJob extends NewJob {
    when: 'success' | 'stopped';
}

interface ClaimRequest {
    workerId: string;
    limit: number;
    types: readonly ClaimType[];
    suspects: boolean;
}

interface ClaimType {
    type: string;
    limit: number;
    timeoutMs: number;
    retries: number;
}

interface ClaimedJob extends Job {
    variables: string;
    effectsEpoch: number;
}

interface Clock {
    now(): number;
    monotonic(): number;
    after(ms: number, fire: () => void, options?: {
        unref?: boolean;
    }): Cancel;
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

interface Closing {
    jobKey: number;
    who: string;
    resolution: string;
    reason: string | null;
    at: number;
}

type CompletedStep = {
    result: string;
} | {
    intent: 'stale';
};

type Enqueued = {
    status: 'created';
    key: number;
}
 | {
    status: 'duplicate';
    key: number;
}
 | {
    status: 'refused';
    reason: 'idempotency_conflict';
    key: number;
} | {
    status: 'refused';
    reason: 'backlog_full';
    limit: number;
    depth: number;
} | {
    status: 'refused';
    reason: 'constraint';
    message: string;
};

interface ExchangeRequest<Answer> {
    settlements: readonly Settlement[];
    claim?: ClaimRequest;
    follow?: Follow<Answer>;
}

interface Exchanged<Answer> {
    settled: readonly Settled[];
    claimed: readonly ClaimedJob[];
    followed: readonly Answer[];
}

export interface FakeClock extends Clock {
    advance(ms: number): Promise<void>;
    setNow(epochMs: number): void;
    block(ms: number): void;
    settle(): Promise<void>;
    readonly pendingTimers: number;
}

interface Follow<Answer> {
    afterSettled(applied: readonly Settlement[]): Work<Answer> | null;
    afterClaimed(rampStarts: readonly {
        type: string;
        count: number;
    }[]): Work<unknown> | null;
}

export interface HandlerRun<R> {
    outcome: OutcomeKind | 'none';
    result: R | undefined;
    error: ErrorRecord | null;
    job: Job;
    incident: IncidentKind | null;
    children: readonly {
        job: Job;
        variables: unknown;
    }[];
    progress: readonly {
        fraction: number;
        note: string | null;
    }[];
    degraded: readonly {
        feature: string;
        thrown: unknown;
    }[];
    steps: readonly {
        step: string;
        result?: unknown;
    }[];
    logs: readonly {
        level: LogLevel;
        message: string;
        fields: LogFields;
    }[];
}

type HistoryEvent = 
{
    event: ResolutionEvent;
    detail: Readonly<Record<string, unknown>>;
} | {
    event: 'undone';
    detail: {
        operation: number;
        from: string;
        to: string;
    };
} | {
    event: 'dead_letter_purged';
    detail: null;
} | {
    event: 'steps_forgotten';
    detail: {
        steps: readonly string[];
    };
} | {
    event: 'type_paused';
    detail: {
        type: string;
        untilAt?: number;
        undoes?: number;
    };
} | {
    event: 'type_resumed';
    detail: {
        type: string;
        undoes?: number;
    };
} | {
    event: 'breaker_opened' | 'breaker_closed';
    detail: BreakerTurn;
} | {
    event: 'worker_drained';
    detail: {
        worker: string;
    };
} | {
    event: 'worker_released';
    detail: ReleasedWorker;
};

type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface MemoryStoreOptions {
    clock?: Clock;
    random?: Random;
}

type NewChildJob = Omit<ChildJob, 'when'>;

interface NewDeadLetter {
    reason: DeadLetterReason;
    error: ErrorRecord;
}

type NewHistoryRow = HistoryEvent & {
    jobKey: number | null;
    at: number;
    who: string;
    reason: string | null;
};

interface NewIncident {
    kind: IncidentKind;
    error: ErrorRecord;
    fingerprint: string;
}

interface NewJob {
    type: string;
    variables: string;
    priority: number;
    runAt: number;
    retries: number;
    retriesGiven: boolean;
    deadlineAt: number | null;
    parentKey: number | null;
    idempotency: {
        key: string;
        hash: string;
    } | null;
}

interface NextJob {
    state: Exclude<JobState, 'running' | 'cancelled'>;
    waitReason: WaitReason | null;
    runAt: number;
    retries: number;
    failures: number;
    crashes: number;
    deferrals: number;
    deferringSince: number | null;
    finishedAt: number | null;
}

interface Plan<Item, Answer> {
    facts(items: readonly Item[]): FactsRequest;
    plan(items: readonly Item[], facts: Facts, now: number): Planned<Answer>;
    key(item: Item): number | string;
    refused?(item: Item, error: Error, now: number): Planned<Answer>;
}

interface Planned<Answer> {
    changes: Changes;
    answers: readonly Answer[];
}

interface Progress {
    jobKey: number;
    attempt: number;
    fraction: number;
    note: string | null;
}

type Random = () => number;

interface ReleasedWorker {
    worker: string;
    label?: string;
    pid?: number;
    host?: string;
    leaseUntil?: number;
    forced: boolean;
}

interface Renewed {
    held: readonly Fence[];
    states: ReadonlyMap<string, WorkerRow['state']>;
}

type ResolutionEvent = 'resolved' | 'retried' | 'dlq_retried' | 'cancelled' | 'discarded' | 'updated';

interface RetentionPolicy {
    finishedMs: number | null;
    deadLettersMs: number | null;
    idempotencyKeysMs: number | null;
    statsMs: number | null;
}

export interface RunHandlerOptions extends Pick<EnqueueInput, 'retries' | 'deadline' | 'idempotencyKey'> {
    attempt?: number;
    steps?: Readonly<Record<string, {
        result: unknown;
    } | 'unknown'>>;
    clock?: FakeClock;
    abort?: {
        reason: AbortKind;
        inMs: number;
    };
}

type Settled = 'applied' | 'stale' | 'refused';

interface Settlement {
    fence: Fence;
    type: string;
    outcome: OutcomeKind;
    startedAt: number;
    next: NextJob;
    attempt: AttemptRecord | null;
    incident: NewIncident | null;
    deadLetter: NewDeadLetter | null;
    result: string | null;
    children: readonly NewChildJob[];
    onlyIfExpiredAt?: number;
}

interface Store extends StoreWriter, StoreReader {
    enqueueIn(connection: CallersConnection, jobs: readonly NewJob[], now: number): readonly Enqueued[];
    now(): number;
    watch(changed: () => void): () => void;
}

interface StoreWriter {
    enqueue(jobs: readonly NewJob[], now: number): Promise<readonly Enqueued[]>;
    exchange<Answer = never>(request: ExchangeRequest<Answer>, now: number): Promise<Exchanged<Answer>>;
    renew(workerIds: readonly string[], leaseUntil: number, now: number): Promise<Renewed>;
    transact<Item, Answer>(plan: Plan<Item, Answer>, items: readonly Item[], now: number): Promise<readonly Answer[]>;
    beginStep(fence: Fence, step: string, now: number): Promise<BegunStep>;
    completeStep(fence: Fence, step: string, result: string, now: number): Promise<CompletedStep>;
    withdrawStep(fence: Fence, step: string): Promise<void>;
    addStats(stats: readonly StatDelta[], counters: readonly CounterDelta[], progress: readonly Progress[], now: number): Promise<void>;
    prune(policy: RetentionPolicy, now: number): Promise<{
        jobs: number;
        deadLetters: number;
        idempotencyKeys: number;
        stats: number;
        more: boolean;
    }>;
}

interface Work<Answer> {
    plan: Plan<unknown, Answer>;
    items: readonly unknown[];
}

export declare function createFakeClock(startAt?: number): FakeClock;

export declare function openMemoryStore({ clock, random, }?: MemoryStoreOptions): Promise<Store>;

export declare function runHandler<V, R>(handler: Handler<V, R>, variables?: object, options?: RunHandlerOptions): Promise<HandlerRun<R>>;
