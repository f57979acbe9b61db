// The three passes over the rows of a softmax, where each is a kernel of its own.
#pragma once

enum class Pass { kMax, kSum, kQuotient };
