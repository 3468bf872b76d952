try:
    import triton
    HAS = True
except ImportError:
    HAS = False
finally: pass
if HAS:
    @triton.jit
    def inner(x): return x
elif other: pass
class Config(Base, metaclass=M):
    field: int = 3
    @triton.jit
    def method(self, x):
        return x
match command:
    case [1, 2]: print "python 2"
def host(:
    broken (((
@triton.constexpr_function
def log2(n):
    while n > 1: n = n // 2
    return n
async def go():
    @triton.jit
    def nested(y):
        pass
