/** The ten bullets of the seed's list of faults are twelve here, and nothing injected is the first. */
export const SEED_NAMES = [
  "clean_passthrough",
  "crash_before_durable_acquisition",
  "crash_after_executing_before_send",
  "connection_reset_during_upload",
  "response_dropped_after_commit",
  "timeout_during_response",
  "timeout_during_readback",
  "process_restart_during_executing",
  "process_restart_during_rolling_back",
  "target_changed_between_prepare_and_execute",
  "conflicting_edit_after_verification",
  "rollback_response_lost",
  "corrupt_or_replayed_local_store",
] as const;

/** Drift and conflict; delivery that nobody is sure of, and what is signed about it; restarts. */
export const REFINED_NAMES = [
  "d1_stale_description_before_forward",
  "d2_drift_between_preparation_and_send",
  "d3_description_drift_after_verification",
  "d4_earlier_state_put_back_by_hand",
  "d5_rollback_conflict_under_the_same_number",
  "d6_edit_between_last_read_and_delivery",
  "e1_forward_response_dropped",
  "e2_forward_timeout",
  "e3_request_lost_before_delivery",
  "e4_rollback_response_dropped",
  "e5_rollback_timeout",
  "e6_connection_lost_within_the_response",
  "e7_nothing_is_sent_again",
  "e8_signed_as_applied",
  "e9_signed_as_not_applied",
  "e10_unsigned_stays_unresolved",
  "g1_killed_while_executing",
  "g2_killed_after_verification",
  "g3_killed_while_rolling_back",
  "g4_uncertain_forward_after_restart",
  "g5_uncertain_rollback_after_restart",
  "g6_number_kept_across_restart",
  "g7_sealed_fingerprint_tampered",
  "g8_protected_snapshot_tampered",
  "g9_nothing_read_is_kept",
  "g10_store_of_another_version",
] as const;

export const SCENARIO_NAMES = [...SEED_NAMES, ...REFINED_NAMES] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];
