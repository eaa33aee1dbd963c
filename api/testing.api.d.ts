type AbortKind = 'timeout' | 'shutdown' | 'cancelled' | 'lease_lost';

type Cancel = () => void;

interface Clock {
    now(): number;
    monotonic(): number;
    after(ms: number, fire: () => void, options?: {
        unref?: boolean;
    }): Cancel;
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface FakeClock extends Clock {
    advance(ms: number): Promise<void>;
    setNow(epochMs: number): void;
    block(ms: number): void;
    settle(): Promise<void>;
    readonly pendingTimers: number;
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

type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface MemoryStoreOptions {
    clock?: Clock;
    random?: Random;
}

type Random = () => number;

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

export declare function createFakeClock(startAt?: number): FakeClock;

export declare function openMemoryStore({ clock, random, }?: MemoryStoreOptions): Promise<Store>;

export declare function runHandler<V, R>(handler: Handler<V, R>, variables?: object, options?: RunHandlerOptions): Promise<HandlerRun<R>>;
