import { quoteValue } from "../../findings/quote-value.ts";
import { notAccepted, type Rule } from "../rule.ts";
import { lookup, targetGroup } from "../vocabulary.ts";

export const targetServiceType: Rule = {
  code: "TARGET_SERVICE_TYPE_UNSUPPORTED",
  severity: "error",
  summary: "The deploy target does not run services of this type.",
  explanation:
    "PM2-managed targets run REST and realtime services, functions targets run functions only. The capability matrix lists what each target runs.",
  remedy: "Choose a service type that the message lists, or another deploy target: `svcm matrix show` has both.",
  check({ entry: { deployTarget, serviceType }, vocabulary }) {
    const group = targetGroup(vocabulary, deployTarget);
    if (!group || lookup(vocabulary.matrix.serviceTypes, serviceType) === undefined) return [];
    if (group.serviceTypes.includes(String(serviceType))) return [];
    return [
      notAccepted(
        "serviceType",
        `${quoteValue(deployTarget)} does not run ${quoteValue(serviceType)}`,
        group.serviceTypes,
      ),
    ];
  },
};
